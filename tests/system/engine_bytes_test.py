"""One commit gives the same wheels on the host and in containers if the toolchain is the same."""

import pathlib
import platform
import shutil
import subprocess

import pytest
from conftest import PYTHON

pytestmark = [pytest.mark.docker, pytest.mark.images]

DOCKERFILES = pathlib.Path(__file__).parents[2] / "docker"
# The distribution's compiler, installed by the shipped script, and a Python with headers.
BUILDER = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
COPY install-compiler /usr/local/bin/
RUN install-compiler && apt-get update && apt-get install -y --no-install-recommends python3 python3-venv
"""


def compiler_on_the_host() -> str:
    return subprocess.run(["c++", "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]


@pytest.fixture
def suite() -> str:
    """The base with the same compiler and Python as this machine."""
    suite = platform.freedesktop_os_release().get("VERSION_CODENAME")
    assert (suite, PYTHON) == ("bookworm", "3.11"), "the test compares with Debian 12's toolchain"
    return suite


def test_a_compiled_wheel_has_the_same_bytes_in_a_container(project, engine, bases, suite):
    library = project("library")
    shutil.copytree(DOCKERFILES, library.directory / "docker")
    (library.directory / "docker" / "builder.Dockerfile").write_text(BUILDER)
    container = {"dockerfile": "docker/builder.Dockerfile", "base": bases[suite]}
    library.edit(lambda matrix: matrix["environment"].update(container=container))
    library.run("build", "matrix.yaml")
    on_host = library.wheels()
    assert len(on_host) == 2

    library.environment |= engine.added()
    library.start_afresh()
    library.run("build", "matrix.yaml", "--engine", engine.name, "--python", "venv")
    inside = engine.run(f"pinwheel:{builder_tag(library)}", "c++", "--version").stdout.splitlines()[0]
    assert inside == compiler_on_the_host()
    assert library.wheels() == on_host


def builder_tag(library) -> str:
    short = library.git("rev-parse", "--short=7", "HEAD").strip()
    return f"main-{short}-old"
