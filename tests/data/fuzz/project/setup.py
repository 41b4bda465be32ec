from setuptools import setup
import os, torch
from torch.utils.cpp_extension import CUDAExtension
X = os.environ.get("X", "1")
ext = [CUDAExtension("a", ["a.cu"], libraries=["z"])] if X else []
setup(name="demo", version="1.0", extras_require={"test": ["pytest"]}, ext_modules=ext,
      options={"bdist_wheel": {"py_limited_api": "cp310"}})
