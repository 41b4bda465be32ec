"""The package's tests: the installed wheel is this variant's."""

import os

import tiny_ext

assert tiny_ext.triple(14) == 42
assert tiny_ext.flavor() == os.environ["TINY_FLAVOR"], tiny_ext.flavor()
print("checked", tiny_ext.flavor())
