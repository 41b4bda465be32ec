"""`python -m pinwheel_cli`: the program itself, which gets this process, with its signals and its exit code."""

import os
import sys

from . import find_binary

if __name__ == "__main__":
    program = find_binary()
    os.execv(program, [program, *sys.argv[1:]])
