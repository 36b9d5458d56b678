#!/usr/bin/env python3
"""Finds the lines of a file that match an expression with at most K edits, with the package regex. Prints their number (-c) or their numbers (-n).

usage: regex_lines.py -c|-n K EXPRESSION FILE
"""

import sys

import regex


def main():
    mode, k, expression, path = sys.argv[1:]
    search = regex.compile(b"(?:%b){e<=%b}" % (expression.encode(), k.encode())).search
    with open(path, "rb") as file:
        numbers = [number for number, line in enumerate(file, 1) if search(line.rstrip(b"\n"))]
    print(*([len(numbers)] if mode == "-c" else numbers), sep="\n")


if __name__ == "__main__":
    main()
