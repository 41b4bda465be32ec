"""The tests of the package: the wheel that is installed is the one of this variant."""

import os

import tiny_ext

assert tiny_ext.triple(14) == 42
assert tiny_ext.flavor() == os.environ["TINY_FLAVOR"], tiny_ext.flavor()
print("checked", tiny_ext.flavor())
