"""Renders a recipe and runs its tests: `try.py META.YAML SOURCES`. The checksum in the recipe must be that of the sources."""

import hashlib
import subprocess
import sys
from pathlib import Path

import jinja2
import yaml

template = jinja2.Template(Path(sys.argv[1]).read_text(), undefined=jinja2.StrictUndefined)
recipe = yaml.safe_load(template.render(compiler=str, stdlib=str, pin_subpackage=lambda name, max_pin: name))
assert recipe["source"]["sha256"] == hashlib.sha256(Path(sys.argv[2]).read_bytes()).hexdigest()
assert recipe["source"]["url"].endswith(Path(sys.argv[2]).name)
for command in recipe["test"]["commands"]:
    subprocess.run(command, shell=True, check=True)
