"""The matrix of `init` is released without an edit: only `init` and `release` are run by hand."""

import subprocess
import sys

import pytest
from conftest import PYTHON, environment_of_projects
from init_prove_test import PURE, extension, matrix_of

LATE = """\
[build-system]
requires = ["scikit-build-core"]
build-backend = "scikit_build_core.build"

[project]
name = "demo"
version = "1.0"

[tool.scikit-build]
wheel.cmake = false

[[tool.scikit-build.overrides]]
if.any.system-cmake = ">=3.15"
if.any.cmake-wheel = true
wheel.cmake = true

[[tool.scikit-build.overrides]]
if.platform-system = "win32"
wheel.py-api = "py3"
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.15)
project(demo C)
option(EMBED "no module" OFF)
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
if(NOT EMBED)
  python_add_library(demo MODULE demo.c WITH_SOABI)
  install(TARGETS demo DESTINATION .)
endif()
"""
MODULE = """\
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "demo", "", -1, 0};
PyMODINIT_FUNC PyInit_demo(void) { return PyModule_Create(&module); }
"""
LISTED = PURE | {"setup.cfg": "[options]\npackages = demo\n"}
OVERRIDES = {"pyproject.toml": LATE, "CMakeLists.txt": CMAKE, "demo.c": MODULE}


def caller(pinwheel, shared, directory):
    """A function that runs pinwheel there and demands success."""

    def run(*arguments: str) -> None:
        ran = subprocess.run(
            [pinwheel, *arguments],
            cwd=directory,
            env=environment_of_projects(shared),
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr

    return run


@pytest.mark.parametrize(
    ("files", "tags"),
    [
        pytest.param(LISTED, "py3-none-any", id="pure"),
        pytest.param(extension(), f"cp{PYTHON.replace('.', '')}-cp", id="setuptools"),
        pytest.param(OVERRIDES, f"cp{PYTHON.replace('.', '')}-cp", id="overrides of scikit-build-core"),
    ],
)
def test_a_release_after_init_needs_no_edit(pinwheel, shared, repository, files, tags):
    directory = repository(files)
    run = caller(pinwheel, shared, directory)
    run("init", "--python", PYTHON)
    assert matrix_of(directory)["publish"]["index"]["path"] == "../dist/index"
    run("release")
    names = [path.name for path in (directory / "dist" / "index").rglob("*.whl")]
    assert names and all(name.startswith(f"demo-1.0-{tags}") for name in names), names
    # The files of a release are not a change of the source.
    run("release")


def test_a_project_whose_packages_setuptools_finds_can_still_be_installed(pinwheel, shared, repository, tmp_path):
    """A second directory at the top would end its discovery, so the matrix is a file there."""
    directory = repository(PURE)
    run = caller(pinwheel, shared, directory)
    run("init", "--python", PYTHON)
    matrix = directory / "pinwheel.yaml"
    assert matrix.exists() and not (directory / "matrix").exists()
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(tmp_path / "installed"), str(directory)]
    installed = subprocess.run(install, capture_output=True, text=True)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    assert (tmp_path / "installed" / "demo" / "__init__.py").exists()
    run("release")
    assert [path.name for path in (directory / "dist" / "index").rglob("*.whl")] == ["demo-1.0-py3-none-any.whl"]
