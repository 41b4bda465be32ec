import os

from setuptools import Extension, setup


def version():
    if "PINWHEEL_VERSION" in os.environ:
        return os.environ["PINWHEEL_VERSION"]
    # In an unpacked sdist the version is the sdist's.
    with open("PKG-INFO") as file:
        return next(line.split(": ")[1].strip() for line in file if line.startswith("Version: "))


setup(
    version=version(),
    ext_modules=[
        Extension(
            "tiny_ext._native",
            ["src/tiny_ext/native.c"],
            define_macros=[("TINY_FLAVOR", '"%s"' % os.environ.get("TINY_FLAVOR", "plain"))],
        )
    ],
)
