"""`init --prove`: a wheel of the project is built, and `abi` is the widest that it holds."""

import json
import subprocess

import pytest
import yaml
from conftest import PYTHON, environment_of_projects

MINOR = PYTHON.split(".")[1]
PYPROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "demo"
version = "1.0"
"""
SETUP = """\
from setuptools import Extension, setup
setup(ext_modules=[Extension("demo.c", ["demo/c.c"]%s)], packages=["demo"]%s)
"""
LIMITED = f", define_macros=[('Py_LIMITED_API', '0x03{int(MINOR):02x}0000')], py_limited_api=True"
OPTION = ", options={'bdist_wheel': {'py_limited_api': 'cp3%s'}}" % MINOR
MODULE = """\
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "c", "", -1, 0};
PyMODINIT_FUNC PyInit_c(void) { %s return PyModule_Create(&module); }
"""
PURE = {"pyproject.toml": PYPROJECT, "demo/__init__.py": ""}


def extension(use: str = "", *, macros: str = "", options: str = "") -> dict[str, str]:
    return PURE | {"setup.py": SETUP % (macros, options), "demo/c.c": MODULE % use}


@pytest.fixture
def prove(pinwheel, shared, repository):
    """A function that writes a project and runs `init --prove` there; returns the directory and what was said."""

    def run(files: dict[str, str], *arguments: str, code: int = 0):
        directory = repository(files)
        ran = subprocess.run(
            [pinwheel, "init", "--prove", *arguments],
            cwd=directory,
            env=environment_of_projects(shared),
            capture_output=True,
            text=True,
            timeout=400,
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        return directory, ran

    return run


def matrix_text(directory) -> str:
    (path,) = (path for path in (directory / "matrix" / "demo.yaml", directory / "pinwheel.yaml") if path.exists())
    return path.read_text()


def matrix_of(directory) -> dict:
    return yaml.safe_load(matrix_text(directory))


def test_a_pure_wheel_is_for_every_python(prove):
    directory, ran = prove(PURE, "--json")
    assert matrix_of(directory)["abi"]["python"] == "none"
    text = matrix_text(directory)
    assert "`pinwheel init --prove`" in text.splitlines()[0] and "ran nothing" not in text
    assert "proven with `demo-1.0-py3-none-any.whl`: no libraries in it" in text
    assert json.loads(ran.stdout)["proven_by"] == "demo-1.0-py3-none-any.whl"


def test_an_abi3_wheel_is_for_its_python_and_newer(prove, pinwheel, shared):
    directory, _ = prove(extension(macros=LIMITED, options=OPTION))
    assert matrix_of(directory)["abi"]["python"] == f"limited(3.{MINOR})"
    # It builds without an edit.
    command = [pinwheel, "build", "--only", f"cp3{MINOR}"]
    subprocess.run(command, cwd=directory, env=environment_of_projects(shared), check=True, timeout=400)
    (wheel,) = (directory / "dist").glob("*.whl")
    assert f"-cp3{MINOR}-abi3-" in wheel.name


def test_a_module_that_would_allow_more_says_so(prove):
    directory, ran = prove(extension("Py_INCREF(Py_None);"))
    assert matrix_of(directory)["abi"]["python"] == "version"
    assert "abi: {python: limited(3." in ran.stderr and "py_limited_api" in ran.stderr


def test_a_wheel_that_takes_more_than_it_says_is_no_proof(prove):
    """The name says abi3, which setuptools never checks."""
    directory, ran = prove(extension("PyFrame_GetBack(0);", macros=", py_limited_api=True", options=OPTION), code=5)
    assert "PyFrame_GetBack" in ran.stderr
    assert not (directory / "matrix").exists()


def test_a_build_that_fails_leaves_nothing(prove):
    directory, ran = prove(extension("this does not compile;"), code=1)
    assert "no matrix is written: `build:" in ran.stderr and "without `--prove`" in ran.stderr
    log = ran.stderr.split("its log is `")[1].split("`")[0]
    assert "error" in open(log).read()
    assert "pinwheel reproduce" not in ran.stderr
    assert not (directory / "matrix").exists()


def test_nothing_is_built_where_a_matrix_is(prove, pinwheel):
    directory, ran = prove(PURE | {"matrix/demo.yaml": "mine\n"}, code=2)
    assert "exists, and `init` overwrites nothing" in ran.stderr
    assert not (directory / ".pinwheel").exists()
