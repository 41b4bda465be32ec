"""`init --prove` of projects that need a real torch: both ABIs are proven, and the matrix builds without an edit."""

import subprocess

import pytest
import yaml
from conftest import PYTHON, environment_of_projects

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(PYTHON != "3.11", reason="the torch of the tests is for CPython 3.11"),
]

PYPROJECT = """\
[build-system]
requires = ["setuptools", "torch"]
build-backend = "setuptools.build_meta"

[project]
name = "demo-ops"
version = "1.0"
dependencies = ["torch>=2.13"]
"""
SETUP = """\
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(
    packages=["demo_ops"],
    ext_modules=[CppExtension("demo_ops._C", ["csrc/ops.cpp"]%s)],
    cmdclass={"build_ext": BuildExtension.with_options(use_ninja=False)},%s
)
"""
MODULE = """\
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", "", -1, 0};
PyMODINIT_FUNC PyInit__C(void) { return PyModule_Create(&module); }
"""
CLASSIC = """\
#include <ATen/ATen.h>
#include <torch/library.h>
static at::Tensor twice(const at::Tensor& x) { return x.add(x); }
TORCH_LIBRARY(demo_ops, library) { library.def("twice(Tensor x) -> Tensor", &twice); }
"""
STABLE = """\
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
torch::stable::Tensor twice(const torch::stable::Tensor& x) { return torch::stable::clone(x); }
STABLE_TORCH_LIBRARY(demo_ops, m) { m.def("twice(Tensor x) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(demo_ops, CPU, m) { m.impl("twice", TORCH_BOX(&twice)); }
"""
LIMITED = (
    ', extra_compile_args=["-DPy_LIMITED_API=0x030a0000", "-DTORCH_TARGET_VERSION=0x020a000000000000"], '
    "py_limited_api=True"
)
OPTION = '\n    options={"bdist_wheel": {"py_limited_api": "cp310"}},'


@pytest.fixture
def prove(pinwheel, shared, repository):
    """A function that proves a project of these sources and builds it by the matrix, unedited; returns what it said."""

    def run(source: str, setup: str):
        package = "import torch\nfrom demo_ops import _C\n"
        files = {"csrc/ops.cpp": MODULE + source, "demo_ops/__init__.py": package, "setup.py": setup}
        directory = repository(files | {"pyproject.toml": PYPROJECT})

        def call(*arguments: str) -> str:
            ran = subprocess.run(
                [pinwheel, *arguments],
                cwd=directory,
                env=environment_of_projects(shared),
                capture_output=True,
                text=True,
                timeout=1500,
            )
            assert ran.returncode == 0, ran.stdout + ran.stderr
            return ran.stderr

        output = call("init", "--prove", "--torch", "2.13", "--python", PYTHON)
        call("test")
        matrix = yaml.safe_load((directory / "matrix" / "demo-ops.yaml").read_text())
        (wheel,) = (directory / "dist").glob("*.whl")
        return output, matrix, wheel.name

    return run


@pytest.mark.takes(200)
def test_an_extension_of_libtorch_is_for_one_torch(prove):
    output, matrix, wheel = prove(CLASSIC, SETUP % ("", ""))
    assert matrix["abi"] == {"python": "version", "torch": "minor"}
    assert matrix["axes"] == {"python": [PYTHON], "compute": ["cpu"], "torch": ["2.13"]}
    assert "proven with `demo_ops-1.0+pt213cpu-cp311-cp311-manylinux_" in output
    # Its own code would hold for every Python of the matrix; none that is older is of use.
    assert "`abi: {python: limited(3.11)}`" in output
    assert wheel.startswith("demo_ops-1.0+pt213cpu-cp311-cp311-manylinux_")


@pytest.mark.takes(100)
def test_an_extension_of_the_stable_abi_is_for_every_torch_from_its_target_on(prove):
    output, matrix, wheel = prove(STABLE, SETUP % (LIMITED, OPTION))
    assert matrix["abi"] == {"python": "limited(3.10)", "torch": "stable(2.10)"}
    assert "only symbols of that Stable ABI" in output
    assert wheel.startswith("demo_ops-1.0+cpu-cp310-abi3-manylinux_")
