"""An extension that uses torch's C++ classes, so it needs one binary per Python and torch minor release."""

import os

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(
    name="classic-extension",
    version=os.environ.get("SETUPTOOLS_SCM_PRETEND_VERSION", "0.1.0"),
    packages=["classic_extension"],
    install_requires=["torch"],
    ext_modules=[
        CppExtension("classic_extension._C", ["csrc/spread.cpp"], extra_compile_args=["-O1", "-g0"])
    ],
    # Without ninja: there is one file, and setuptools can always compile it.
    cmdclass={"build_ext": BuildExtension.with_options(use_ninja=False)},
    zip_safe=False,
)
