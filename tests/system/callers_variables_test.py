"""Variables of the caller that builds obey: how many jobs, for which devices, and which programs there are."""

import json
import os

import pytest
from conftest import PYTHON

TAG = "cp" + PYTHON.replace(".", "")
PRINT = """
import json, os, runpy, shutil, sys
names = ("MAX_JOBS", "CMAKE_BUILD_PARALLEL_LEVEL", "TORCH_CUDA_ARCH_LIST", "CUDAARCHS")
programs = {name: shutil.which(name) for name in ("nvcc", "beside-nvcc")}
print("SEEN " + json.dumps({name: os.environ.get(name) for name in names} | programs), flush=True)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def script(project):
    """Its build prints the variables that it sees."""
    script = project("script")
    (script.directory / "show.py").write_text(PRINT)

    def change(matrix):
        matrix["axes"].update(flavor=["plain"])
        matrix["build"]["command"].insert(1, "{package}/show.py")

    script.edit(change)
    return script


def seen(script) -> dict:
    """What the last build saw."""
    log = script.run("logs", "build:plain").stdout
    return json.loads(next(line for line in log.splitlines() if line.startswith("SEEN ")).removeprefix("SEEN "))


def test_the_callers_jobs_cap_a_build_and_are_in_no_key(script):
    script.run("build", "matrix.yaml", "-j", "4", MAX_JOBS="3", CMAKE_BUILD_PARALLEL_LEVEL="2")
    assert seen(script)["MAX_JOBS"] == seen(script)["CMAKE_BUILD_PARALLEL_LEVEL"] == "2"
    again = script.report("build", "matrix.yaml", MAX_JOBS="1")
    assert again["build:plain"]["state"] == "reused"
    script.start_afresh()
    script.run("build", "matrix.yaml", "-j", "1", MAX_JOBS="3")
    assert seen(script)["MAX_JOBS"] == "1"


def test_the_callers_architectures_reach_the_build_and_its_key(script):
    ran = script.run("build", "matrix.yaml", TORCH_CUDA_ARCH_LIST="8.0", CUDAARCHS="80")
    assert seen(script)["TORCH_CUDA_ARCH_LIST"] == "8.0" and seen(script)["CUDAARCHS"] == "80"
    assert "ignored" not in ran.stderr
    again = script.report("build", "matrix.yaml", TORCH_CUDA_ARCH_LIST="9.0", CUDAARCHS="80")
    assert again["build:plain"]["state"] == "done" and seen(script)["TORCH_CUDA_ARCH_LIST"] == "9.0"


def test_the_callers_architectures_are_ignored_where_the_matrix_names_some(script):
    script.edit(lambda matrix: matrix["build"].update({"arch-list": ["8.6"]}))
    ran = script.run("build", "matrix.yaml", TORCH_CUDA_ARCH_LIST="8.0", CUDAARCHS="80")
    assert ran.stderr.count("ignored: the matrix has `build.arch-list`") == 1
    assert "`CUDAARCHS`, `TORCH_CUDA_ARCH_LIST`" in ran.stderr
    assert seen(script)["TORCH_CUDA_ARCH_LIST"] == "8.6" and seen(script)["CUDAARCHS"] != "80"
    assert script.report("build", "matrix.yaml", CUDAARCHS="90")["build:plain"]["state"] == "reused"


def test_a_build_for_the_cpu_does_not_see_the_nvcc_of_the_machine(script, tmp_path):
    """Projects compile for CUDA where they find one, whatever torch they are built for."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("nvcc", "beside-nvcc"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    script.run("build", "matrix.yaml", PATH=f"{programs}:{os.environ['PATH']}")
    assert seen(script)["nvcc"] is None
    assert os.path.basename(seen(script)["beside-nvcc"]) == "beside-nvcc"
