"""Toolkits from conda packages and from the container: each builds device code and refuses what it does not support."""

import json
import pathlib
import shutil
import subprocess
import zipfile

import pytest
from conda_packages import Package
from contained import states
from cuda_package import copy_toolkit, cuda_package, nvcc_release

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH"),
]

# Puts device code made by the nvcc on PATH into the wheel; a doubled brace in the matrix stands for one.
BUILD = """\
set -e
echo "nvcc is $(command -v nvcc), CUDA_HOME is $CUDA_HOME"
echo '__global__ void one(float* x) {{ *x = 1; }}' > one.cu
nvcc -gencode arch=compute_90,code=sm_90 -shared -Xcompiler -fPIC -cudart static -o script_kernels.so one.cu
exec python "{package}/make_wheel.py" "{dest_dir}" --file script_kernels.so
"""
MINOR = ".".join(nvcc_release().split(".")[:2]) if shutil.which("nvcc") else ""

IMAGE = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked \\
    --mount=type=cache,target=/var/lib/apt/lists,sharing=locked \\
    apt-get update && apt-get install -y --no-install-recommends g++ python3-venv
COPY cuda /usr/local/cuda
"""


def build_device_code(script, toolkit: str) -> None:
    """Changes the project so that its build needs CUDA from `toolkit`."""

    def change(matrix):
        del matrix["axes"]["flavor"], matrix["environment"]
        matrix["axes"]["compute"] = [f"cuda/{MINOR}"]
        matrix["environment"] = {"toolkit": toolkit}
        matrix["build"]["command"] = ["bash", "-c", BUILD]
        matrix["build"]["arch-list"] = ["9.0"]
        before = ["compiler", "toolkit", {"header": "cuda_runtime.h"}]
        matrix["checks"] = {"before": before, "after": ["device-code"]}
        matrix["publish"]["require"] = "none"

    script.edit(change)


def build_of(outcomes: dict[str, dict]) -> dict:
    (build,) = [outcome for step, outcome in outcomes.items() if step.startswith("build:")]
    return build


def stand_in(directory: pathlib.Path) -> pathlib.Path:
    """A compiler that is too new for any CUDA."""
    program = directory / "g++-99"
    program.write_text(
        "#!/bin/sh\necho 'g++-99 (Debian 99.1.0-1) 99.1.0'\necho 'Copyright (C) 2031 Free Software Foundation, Inc.'\n"
    )
    program.chmod(0o755)
    return program


def holds_device_code(output: dict) -> None:
    with zipfile.ZipFile(output["path"]) as wheel:
        assert "script_kernels.so" in wheel.namelist()


@pytest.fixture(scope="module")
def cuda_channel(served_channel):
    """The channel with a complete CUDA compiler."""
    served_channel.add_archive(*cuda_package())
    return served_channel


@pytest.fixture
def from_conda(project, cuda_channel, tmp_path):
    script = project("script")
    build_device_code(script, "conda")
    script.edit(lambda matrix: matrix["environment"].update(conda={"channels": [cuda_channel.url]}))
    script.environment |= {"PINWHEEL_CONDA": "rattler"}
    # No nvcc of this machine may be used.
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDACXX"):
        script.environment.pop(name, None)
    return script


class TestConda:
    def test_device_code_is_built_by_the_nvcc_of_the_packages(self, from_conda, cuda_channel, tmp_path):
        from_conda.environment["PINWHEEL_CACHE_DIR"] = str(tmp_path / "cache")
        outcomes = from_conda.report("build", "matrix.yaml")
        assert states(outcomes) == {"done"}
        (toolkit,) = [step for step in outcomes if step.startswith("toolkit:")]
        assert toolkit.startswith(f"toolkit:cuda-{MINOR}-")
        holds_device_code(build_of(outcomes)["outputs"][0])
        log = pathlib.Path(build_of(outcomes)["log"]).read_text()
        assert "/toolkit/bin/nvcc, CUDA_HOME is" in log
        (marker,) = (tmp_path / "cache/toolkits").glob("*/pinwheel-complete.json")
        assert marker.parent.name.startswith(f"cuda-{MINOR}-conda-")
        listed = json.loads(from_conda.run("env", "list", "--json").stdout)["environments"]
        assert {row["toolkit"] for row in listed} == {"", f"cuda/{nvcc_release()}"}

        # Nothing is repeated, and the channel gets no request.
        cuda_channel.requests.clear()
        assert states(from_conda.report("build", "matrix.yaml")) == {"reused"}
        assert cuda_channel.requests == []

    def test_a_host_compiler_that_is_too_new_is_refused_before_anything_compiles(self, from_conda, tmp_path):
        outcomes = from_conda.report("build", "matrix.yaml", code=4, CUDAHOSTCXX=str(stand_in(tmp_path)))
        build = build_of(outcomes)
        assert build["state"] == "failed" and build["attempts"] == 1
        assert f"gcc 99.1.0) is not supported by cuda/{MINOR}, which supports gcc 6 to " in json.dumps(build["error"])

    def test_packages_of_another_cuda_are_refused(self, from_conda, cuda_channel):
        says = "#!/bin/sh\necho 'Cuda compilation tools, release 9.9, V9.9.9'\n"
        cuda_channel.add(Package("odd-cuda", "1.0"), {"bin/nvcc": says})
        from_conda.edit(lambda matrix: matrix["environment"]["conda"].update(toolkit=["odd-cuda"]))
        outcomes = from_conda.report("build", "matrix.yaml", code=4)
        (toolkit,) = [outcome for step, outcome in outcomes.items() if step.startswith("toolkit:")]
        assert f"contain nvcc 9.9.9, but the class is built for `cuda/{MINOR}`" in json.dumps(toolkit["error"])
        assert build_of(outcomes)["state"] == "blocked"

    def test_packages_that_the_channel_lacks_are_reported_in_the_solvers_words(self, from_conda):
        from_conda.edit(lambda matrix: matrix["environment"]["conda"].update(toolkit=["cuda-toolkit=8.0"]))
        result = from_conda.run("build", "matrix.yaml", code=2).stderr
        assert "cuda-toolkit 8.0" in result or "cuda-toolkit=8.0" in result, result


@pytest.fixture(scope="module")
def cuda_image(dockerd, tmp_path_factory) -> str:
    """bookworm with its own compiler, Python and CUDA."""
    bases = dockerd.import_bases()
    context = tmp_path_factory.mktemp("image")
    (context / "Dockerfile").write_text(IMAGE)
    (context / "cuda").mkdir()
    copy_toolkit(context / "cuda")
    name = "pinwheel-test/cuda"
    dockerd.build("--network", "host", "--build-arg", f"BASE_IMAGE={bases['bookworm']}", "--tag", name, str(context))
    shutil.rmtree(context)
    return name


@pytest.fixture
def from_container(project, dockerd, cuda_image, tmp_path):
    script = project("script")
    build_device_code(script, "container")

    def change(matrix):
        matrix["axes"]["python"] = ["3.11"]
        matrix["environment"]["container"] = {"base": cuda_image}

    script.edit(change)
    script.environment |= dockerd.added()
    # The user's variables describe the host, not the image.
    script.environment["CUDA_HOME"] = str(tmp_path)
    script.levels = ["--engine", "docker", "--python", "venv"]
    return script


@pytest.mark.images
class TestContainer:
    def test_device_code_is_built_by_the_nvcc_of_the_image(self, from_container, dockerd):
        outcomes = from_container.report("build", "matrix.yaml", *from_container.levels)
        assert states(outcomes) == {"done"}
        assert not [step for step in outcomes if step.startswith("toolkit:")]
        holds_device_code(build_of(outcomes)["outputs"][0])
        log = pathlib.Path(build_of(outcomes)["log"]).read_text()
        assert "nvcc is /usr/local/cuda/bin/nvcc, CUDA_HOME is /usr/local/cuda" in log
        assert dockerd.containers() == []

    def test_a_host_compiler_that_is_too_new_is_refused_before_anything_compiles(self, from_container, tmp_path):
        named = {"CUDAHOSTCXX": str(stand_in(tmp_path))}
        outcomes = from_container.report("build", "matrix.yaml", *from_container.levels, code=4, **named)
        result = json.dumps(build_of(outcomes)["error"])
        assert f"gcc 99.1.0) is not supported by cuda/{MINOR}, which supports gcc 6 to " in result

    def test_without_a_container_it_is_refused(self, from_container):
        ran = from_container.run("build", "matrix.yaml", code=2)
        assert "there is none" in ran.stderr and "--engine docker" in ran.stderr.split("hint:")[1]


def test_the_packed_compiler_runs(tmp_path):
    """Both toolkit sources depend on this package."""
    copy_toolkit(tmp_path)
    source = tmp_path / "empty.cu"
    source.write_text("__global__ void nothing() {}\n")
    subprocess.run([str(tmp_path / "bin/nvcc"), "-arch=sm_90", "-c", "-o", "/dev/null", str(source)], check=True)
