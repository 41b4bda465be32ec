"""Variables of the caller that builds obey: how many jobs, for which devices, and which programs there are."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import PYTHON

TAG = "cp" + PYTHON.replace(".", "")
PRINT = """
import json, os, runpy, shutil, sys
names = ("MAX_JOBS", "CMAKE_BUILD_PARALLEL_LEVEL", "TORCH_CUDA_ARCH_LIST", "CUDAARCHS")
programs = {name: shutil.which(name) for name in ("nvcc", "hipcc", "beside-nvcc")}
places = [path for path in ("/usr/local/cuda", "/opt/rocm-9") if os.path.lexists(path)]
places += [path for path in ("/usr/local/bin/nvcc", "/usr/bin/nvcc") if os.access(path, os.X_OK)]
places = {"places": places, "others": [name for name in os.listdir("/usr/local") if name[0] != "c"]}
print("SEEN " + json.dumps({name: os.environ.get(name) for name in names} | programs | places), flush=True)
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
    """The variables of the last build."""
    return seen_in(script.run("logs", "build:plain").stdout)


def seen_in(log: str) -> dict:
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
    # The wheel of a script has no device code.
    script.edit(lambda matrix: matrix.update(checks={"accept": ["device-code"]}))
    script.edit(lambda matrix: matrix["build"].update({"arch-list": ["8.6"]}))
    ran = script.run("build", "matrix.yaml", TORCH_CUDA_ARCH_LIST="8.0", CUDAARCHS="80")
    assert ran.stderr.count("ignored: the matrix has `build.arch-list`") == 1
    assert "`CUDAARCHS`, `TORCH_CUDA_ARCH_LIST`" in ran.stderr
    assert seen(script)["TORCH_CUDA_ARCH_LIST"] == "8.6" and seen(script)["CUDAARCHS"] != "80"
    assert script.report("build", "matrix.yaml", CUDAARCHS="90")["build:plain"]["state"] == "reused"


def path_with(directory: pathlib.Path, compiler: str) -> str:
    """A PATH with a compiler for GPUs and other programs in one directory."""
    directory.mkdir()
    for name in (compiler, "beside-nvcc", "unshare", "mount"):
        (directory / name).write_text("#!/bin/sh\n")
        (directory / name).chmod(0o755)
    return f"{directory}:{os.environ['PATH']}"


@pytest.mark.parametrize("compiler", ["nvcc", "hipcc"])
def test_a_build_for_the_cpu_does_not_see_the_compilers_of_the_machine(script, tmp_path, compiler):
    """Projects compile for CUDA where they find one, whatever torch they are built for. A directory that has it may
    have the programs that make a build's root, too."""
    script.run("build", "matrix.yaml", PATH=path_with(tmp_path / "programs", compiler))
    assert seen(script)["nvcc"] is None
    assert seen(script)["hipcc"] is None
    assert os.path.basename(seen(script)["beside-nvcc"]) == "beside-nvcc"


@pytest.fixture
def toolkits():
    """The usual places of toolkits, of which this machine or this test has some."""
    made = [path for path in map(pathlib.Path, ("/usr/local/cuda", "/opt/rocm-9")) if not path.exists()]
    if not all(os.access(path.parent, os.W_OK) for path in made):
        pytest.skip("a directory of the system cannot be written")
    for path in made:
        (path / "bin").mkdir(parents=True)
    yield
    for path in made:
        shutil.rmtree(path)


def test_a_build_for_the_cpu_does_not_see_the_usual_places_of_toolkits(script, toolkits):
    """torch and CMake look there, without a variable and without a compiler on PATH."""
    script.run("build", "matrix.yaml")
    assert seen(script)["places"] == []
    assert sorted(seen(script)["others"]) == sorted(name for name in os.listdir("/usr/local") if name[0] != "c")
    script.edit(lambda matrix: matrix["environment"]["variables"].update(CUDA_HOME="/usr/local/cuda"))
    script.run("build", "matrix.yaml")
    assert seen(script)["places"][:2] == ["/usr/local/cuda", "/opt/rocm-9"]


def test_the_script_of_a_dry_run_hides_the_toolkits_of_the_machine_as_a_build_does(script, toolkits, tmp_path):
    path = path_with(tmp_path / "programs", "nvcc")
    dry = script.run("build", "matrix.yaml", "--dry-run", PATH=path).stdout
    options = {"env": script.environment, "capture_output": True, "text": True, "timeout": 900}
    by_hand = seen_in(subprocess.run(["bash"], input=dry, check=True, **options).stdout)
    assert by_hand["nvcc"] is None and by_hand["hipcc"] is None and by_hand["places"] == []
    script.start_afresh()
    script.run("build", "matrix.yaml", PATH=path)
    # The links of a script are at the same fixed path.
    assert by_hand == seen(script)
