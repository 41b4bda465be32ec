import os

import torch  # noqa: F401
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension

CUDA = os.getenv("FORCE_CUDA", "0") == "1"
Extension = CUDAExtension if CUDA else CppExtension
SOURCES = ["csrc/ops.cpp"] + (["csrc/ops_kernel.cu"] if CUDA else [])

setup(
    name="my-ops",
    version="1.0.0",
    python_requires=">=3.11",
    ext_modules=[Extension("my_ops._C", SOURCES)],
    cmdclass={"build_ext": BuildExtension},
)
