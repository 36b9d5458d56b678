#!/bin/bash
set -euo pipefail

cargo-bundle-licenses --format yaml --output THIRDPARTY.yml
cargo install --locked --no-track --path . --root "$PREFIX"
packaging/install "$PREFIX"
