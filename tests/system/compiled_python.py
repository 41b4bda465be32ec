"""A CPython for a Debian that does not have it, compiled once by the shipped recipe."""

import pathlib
import re
import subprocess

from bases import RECIPE
from shared_cache import cache_directory, key, locked
from machine import debian_mirror

DOCKERFILES = pathlib.Path(__file__).parents[2] / "docker"
PREFIX = "/opt/python"


def python_source(version: str) -> str:
    """Debian's source package of a Python, found through the machine's own apt."""
    shown = subprocess.run(["apt-cache", "show", f"python{version}"], check=True, capture_output=True, text=True).stdout
    upstream = re.search(r"^Version: ([\d.]+)-", shown, re.MULTILINE)[1]
    name = f"python{version}"
    return f"{debian_mirror()}/pool/main/p/{name}/{name}_{upstream}.orig.tar.gz"


def compiled_python(engine, base: str, version: str) -> pathlib.Path:
    """A directory to mount at `PREFIX` in containers of the base image; empty if the image has that Python."""
    source = python_source(version)
    recipe = [(DOCKERFILES / name).read_bytes() for name in ("test.Dockerfile", "compile-python")]
    cache = cache_directory("pythons/" + re.sub("[^a-z0-9.]+", "-", base))
    place = cache / key(RECIPE, version, source, *recipe)
    with locked(cache):
        if place.exists():
            return place
        arguments = {"BASE_IMAGE": base, "PYTHON": version, "PYTHON_SOURCE": source}
        given = [word for name, value in arguments.items() for word in ("--build-arg", f"{name}={value}")]
        stage = f"{base}-python{version}"
        engine.build(
            "--file", str(DOCKERFILES / "test.Dockerfile"), "--target", "python", "--tag", stage, *given, str(DOCKERFILES)
        )
        unfinished = cache / "unfinished"
        subprocess.run(["rm", "-rf", str(unfinished)], check=True)
        unfinished.mkdir()
        engine.run("--volume", f"{unfinished}:/out", stage, "cp", "-a", f"{PREFIX}/.", "/out/")
        unfinished.rename(place)
    return place
