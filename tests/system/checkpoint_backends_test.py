"""Checkpoints of CMake, scikit-build-core, meson-python and torch extensions: the bytes of the wheel, and the commands
that run again."""

import pathlib

import pytest
from checkpoints import MESSAGE, Stopped, checkpoint

SOURCES = 6
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(m LANGUAGES CXX)
set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_SOURCE_DIR}/slow.sh)
configure_file(config.h.in config.h)
include_directories(${CMAKE_BINARY_DIR})
add_library(m SHARED @SOURCES@)
set_target_properties(m PROPERTIES PREFIX "")
"""
MESON = """project('m', 'cpp', version: '1.0')
configure_file(input: 'config.h.in', output: 'config.h', configuration: {'ONE': 1})
py = import('python').find_installation()
shared_library('m', @SOURCES@, name_prefix: '', install: true, install_dir: py.get_install_dir(pure: false))
"""
SKBUILD = """[build-system]
requires = ["scikit-build-core"]
build-backend = "scikit_build_core.build"
[project]
name = "script-only"
version = "1.2.0"
[tool.scikit-build]
build-dir = "made"
wheel.py-api = "py3"
"""
MESONPY = """[build-system]
requires = ["meson-python"]
build-backend = "mesonpy"
[project]
name = "script-only"
version = "1.2.0"
"""
SETUP = """from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
names = [@SOURCES@]
setup(name="script-only", version="1.2.0", ext_modules=[CppExtension("m", names)],
      cmdclass={"build_ext": BuildExtension})
"""


def compiled(project, tmp_path: pathlib.Path, backend: str) -> Stopped:
    """A library of several sources, whose compilations are slow and counted."""
    script = project("script")
    place = script.directory
    counter = tmp_path / "commands"
    names = [f"f{number}.cpp" for number in range(SOURCES)]
    include = '#include "config.h"\n' if backend != "torch" else ""
    for name in names:
        (place / name).write_text(
            f"{include}#include <map>\n#include <string>\nstd::map<std::string, int> {name[:2]}() {{ return {{}}; }}\n"
        )
    (place / "config.h.in").write_text("#define ONE 1\n")
    (place / "slow.sh").write_text(
        f'#!/bin/sh\nset -e\nfor last; do :; done\ncase "$last" in *f[0-9].cpp) sleep 0.7;; esac\n"$@"\n'
        f'case "$last" in *f[0-9].cpp) basename "$last" >> {counter};; esac\n'
    )
    (place / "slow.sh").chmod(0o755)
    environment: dict = {"build-requires": "auto", "tools": ["ninja"]}
    quoted = ", ".join(f"'{name}'" for name in names)
    command = None
    variables: dict[str, str] = {}
    if backend == "cmake":
        (place / "CMakeLists.txt").write_text(CMAKE.replace("@SOURCES@", " ".join(names)))
        steps = "cmake -S . -B b -G Ninja && cmake --build b -j1"
        command = ["sh", "-c", f"set -e; cd {{package}}; {steps}; python make_wheel.py {{dest_dir}} --tag py3-none-linux_x86_64 --file b/m.so"]
        environment = {}
    elif backend == "scikit-build-core":
        install = "install(TARGETS m DESTINATION .)\n"
        (place / "CMakeLists.txt").write_text(CMAKE.replace("@SOURCES@", " ".join(names)) + install)
        (place / "pyproject.toml").write_text(SKBUILD)
        environment["tools"] += ["cmake>=3.22"]
    elif backend == "meson":
        (place / "meson.build").write_text(MESON.replace("@SOURCES@", quoted))
        (place / "pyproject.toml").write_text(MESONPY)
        environment["pip"] = ["build"]
        variables["CXX"] = "/tmp/pinwheel-build/src/slow.sh g++"
        build = "python -m build --wheel --no-isolation -Cbuild-dir=made -Ccompile-args=-j1 --outdir {dest_dir} {package}"
        command = build.split(" ")
    def change(matrix: dict) -> None:
        configure(matrix, environment, variables, command)
        if backend == "meson":  # its wheels with a library are of one Python
            matrix["abi"] = {"python": "version"}
            matrix["checks"]["accept"].append("module-init")

    script.edit(change)
    return Stopped(script, counter)


def torch_extension(project) -> Stopped:
    """An extension of several sources, each of which includes hundreds of torch's headers."""
    script = project("script")
    names = [f"f{number}.cpp" for number in range(SOURCES)]
    for number, name in enumerate(names):
        text = f"#include <ATen/ATen.h>\nint64_t f{number}(const at::Tensor& t) {{ return t.dim() + {number}; }}\n"
        (script.directory / name).write_text(text)
    setup = SETUP.replace("@SOURCES@", ", ".join(f"'{name}'" for name in names))
    (script.directory / "setup.py").write_text(setup)
    environment = {
        "tools": ["ninja"],
        "pip": ["setuptools", "numpy"],
        "torch": {"spec": "torch==2.13.0", "index": "https://download.pytorch.org/whl/cpu"},
    }

    def change(matrix: dict) -> None:
        # torch starts compilers by ccache if there is one, and a full cache leaves nothing to interrupt.
        configure(matrix, environment, {"CCACHE_DISABLE": "1"}, None)
        matrix["abi"] = {"python": "version"}
        matrix["build"]["checkpoint"] = {"every": "3 s", "before": "5 s"}
        matrix["checks"]["accept"] += ["torch-requirement", "module-init"]

    script.edit(change)
    script.patience = 3600
    return Stopped(script, script.directory.parent / "unused")


def configure(matrix: dict, environment: dict, variables: dict, command: list[str] | None) -> None:
    checkpoint(matrix, every="1 s")
    matrix["environment"].update(environment)
    matrix["environment"]["variables"].update(variables)
    matrix["build"].pop("command", None)
    if command:
        matrix["build"]["command"] = command
    matrix["build"]["memory-per-job"] = "512 MiB"
    matrix["abi"] = {"python": "none"}
    matrix["build"]["repair"] = "none"
    matrix["checks"] = {"accept": ["top-level", "odd-members", "platform-tag", "wheel-name", "python-abi"]}


@pytest.mark.parts
@pytest.mark.takes(40)
@pytest.mark.parametrize("backend", ["cmake", "scikit-build-core", "meson"])
def test_a_build_continues_and_its_wheel_has_the_same_bytes(project, tmp_path, backend):
    stopped = compiled(project, tmp_path, backend)
    whole = stopped.whole()
    stopped.kill_after_checkpoint("-j1")
    saved = stopped.commands()[: stopped.saved()]
    stopped.build("-j1")
    assert MESSAGE in stopped.log(), stopped.log()
    assert stopped.project.wheels() == whole
    # What the checkpoint has is not compiled again.
    assert saved and [stopped.commands().count(name) for name in saved] == [1] * len(saved)
    assert set(stopped.commands()) == {f"f{number}.cpp" for number in range(SOURCES)}


@pytest.mark.torch
@pytest.mark.takes(240)
def test_a_torch_extension_continues_and_its_wheel_has_the_same_bytes(project, tmp_path):
    stopped = torch_extension(project)
    whole = stopped.whole()
    stopped.kill_after_checkpoint("-j1")
    stopped.build("-j1")
    assert MESSAGE in stopped.log()
    assert stopped.project.wheels() == whole
