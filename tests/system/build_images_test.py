"""Every stage of the shipped Dockerfiles on a minimal base; each compiles what it is meant for."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from compiled_python import python_source

pytestmark = [pytest.mark.docker, pytest.mark.images]

DOCKERFILES = pathlib.Path(__file__).parents[2] / "docker"
KERNEL = "__global__ void add(float* out, const float* in) { out[threadIdx.x] += in[threadIdx.x]; }\n"
HIP_KERNEL = "#include <hip/hip_runtime.h>\n" + KERNEL
# A program that needs the compiled part of libstdc++, loaded by the image's own dynamic linker.
PROGRAM = """\
#include <filesystem>
#include <iostream>
int main() { std::cout << std::filesystem::path("/a/b").filename().string() << std::endl; }
"""


def built(engine, base: str, dockerfile: str, *arguments: str) -> str:
    """The name of an image built from a shipped Dockerfile."""
    name = "pinwheel-test/" + re.sub("[^a-z0-9]+", "-", "-".join([dockerfile, *arguments]).lower()).strip("-")
    place = ["--file", str(DOCKERFILES / dockerfile), "--tag", name, "--build-arg", f"BASE_IMAGE={base}"]
    engine.build(*place, *arguments, str(DOCKERFILES))
    return name


def compiled(engine, image: str, directory: pathlib.Path, source: str, text: str, *command: str, mount=()) -> pathlib.Path:
    (directory / source).write_text(text)
    volumes = [part for place in mount for part in ("--volume", f"{place}:{place}:ro")]
    engine.run("--volume", f"{directory}:/place", "--workdir", "/place", *volumes, image, *command)
    return directory / "out"


def test_the_cpu_stage_compiles_a_program_that_runs_there(engine, bases, tmp_path):
    for suite in ("bookworm", "bullseye"):
        image = built(engine, bases[suite], "build.Dockerfile", "--target", "cpu")
        compiled(engine, image, tmp_path, "p.cc", PROGRAM, "c++", "-std=c++17", "-O2", "p.cc", "-o", "out")
        assert engine.run("--volume", f"{tmp_path}:/place", image, "/place/out").stdout == "b\n"


def test_another_gcc_replaces_the_distributions(dockerd, tmp_path):
    image = built(dockerd, dockerd.import_bases()["bookworm"], "build.Dockerfile", "--build-arg", "GCC=11")
    assert " 11." in dockerd.run(image, "c++", "--version").stdout.splitlines()[0]
    compiled(dockerd, image, tmp_path, "p.cc", PROGRAM, "c++", "-std=c++17", "p.cc", "-o", "out")


def machine_s_toolkit() -> str:
    output = subprocess.run(["nvcc", "--dryrun", "-x", "cu", "-c", "/dev/null"], capture_output=True, text=True).stderr
    return os.path.normpath(next(line.split("=", 1)[1] for line in output.splitlines() if line.startswith("#$ TOP=")))


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")
def test_the_cuda_stage_compiles_a_kernel_with_a_mounted_toolkit(dockerd, tmp_path):
    image = built(dockerd, dockerd.import_bases()["bookworm"], "build.Dockerfile", "--target", "cuda")
    toolkit = machine_s_toolkit()
    nvcc = [f"{toolkit}/bin/nvcc", "-arch=sm_90", "-cubin", "k.cu", "-o", "out"]
    cubin = compiled(dockerd, image, tmp_path, "k.cu", KERNEL, *nvcc, mount=[toolkit])
    assert cubin.read_bytes()[:4] == b"\x7fELF" and b"add" in cubin.read_bytes()


@pytest.mark.xdist_group("rocm-image")
def test_the_rocm_stage_compiles_a_kernel_for_gfx90a(dockerd, tmp_path):
    image = built(dockerd, dockerd.import_bases()["bookworm"], "build.Dockerfile", "--target", "rocm")
    hipcc = ["env", "HIP_PLATFORM=amd", "hipcc", "--offload-arch=gfx90a", "-c", "-x", "hip", "k.hip", "-o", "out"]
    compiled(dockerd, image, tmp_path, "k.hip", HIP_KERNEL, *hipcc)
    assert b"amdgcn-amd-amdhsa--gfx90a" in (tmp_path / "out").read_bytes()


def test_a_python_that_the_distribution_has_is_not_compiled(dockerd):
    arguments = ["--build-arg", "PYTHON=3.11", "--build-arg", "PYTHON_SOURCE=http://localhost:1/none"]
    image = built(dockerd, dockerd.import_bases()["bookworm"], "test.Dockerfile", *arguments)
    assert dockerd.run(image, "python3", "-c", "import sys; print(sys.prefix)").stdout == "/usr\n"


def test_a_python_without_a_known_release_is_named(dockerd):
    with pytest.raises(AssertionError, match="no known release of Python 3.4"):
        built(dockerd, dockerd.import_bases()["bookworm"], "test.Dockerfile", "--build-arg", "PYTHON=3.4")


@pytest.mark.torch  # compiling CPython takes minutes
def test_a_provided_python_is_complete_and_leaves_no_compiler(dockerd):
    arguments = ["--build-arg", "PYTHON=3.11", "--build-arg", f"PYTHON_SOURCE={python_source('3.11')}"]
    image = built(dockerd, dockerd.import_bases()["bullseye"], "test.Dockerfile", *arguments)
    modules = "import bz2, ctypes, ensurepip, lzma, shutil, sqlite3, ssl, sys, venv; "
    output = dockerd.run(image, "python3", "-c", modules + "print(sys.version_info[:2], shutil.which('cc'))").stdout
    assert output == "(3, 11) None\n"
