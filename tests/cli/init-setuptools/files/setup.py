import os

from setuptools import Extension, setup

FAST = os.environ.get("FAST_SUM_SIMD") == "1"

setup(ext_modules=[Extension("fast_sum._sum", ["src/sum.c"], libraries=["z"], define_macros=[("SIMD", int(FAST))])])
