from setuptools import setup

__version__ = "0.9"
if stamp():
    __version__ = stamp()
setup(name="demo", version=__version__)
