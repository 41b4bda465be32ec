"""The bundled kernels in containers with conda packages: the host's bytes, tested on plain distributions."""

import json
import shutil
import subprocess

import pytest
from conftest import Project
from contained import contain_kernels, states
from cuda_package import cuda_package

pytestmark = [
    pytest.mark.docker,
    pytest.mark.images,
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH"),
]

CPU, CUDA = "cp311-cpu-torch2.13", "cp311-cu130-torch2.13"


@pytest.fixture(params=["cumsum", pytest.param("full", marks=pytest.mark.long)])
def flavor(request) -> str:
    return request.param


@pytest.fixture
def kernels(flavor, kernels_project, dockerd, served_channel) -> Project:
    """The kernels in bookworm, with the shipped compiler, and Python and CUDA from the channel."""
    served_channel.add_archive(*cuda_package())
    kernels = kernels_project("kernels-both.yaml")
    kernels.patience = 3600
    contain_kernels(kernels, dockerd, served_channel.url, "cpu", flavor)
    kernels.environment |= {"CCACHE_DISABLE": "1"}
    tests = {
        "pip": ["pytest", "numpy"],
        "command": ["python", "-m", "pytest", "{package}/tests/test_cumsum.py", "-q"],
        "images": ["debian:bookworm"],
        "dockerfile": "docker/test.Dockerfile",
        "python": "image",
    }
    kernels.edit(lambda matrix: matrix.update(test=tests))
    return kernels


def device_code(pinwheel: str, kernels: Project) -> dict[str, list]:
    """The report of `inspect` on each wheel."""
    found = {}
    for wheel in sorted(kernels.output.glob("*.whl")):
        result = subprocess.run([pinwheel, "inspect", "--json", str(wheel)], check=True, capture_output=True, text=True)
        found[wheel.name] = json.loads(result.stdout)["device_code"]
    return found


def test_the_kernels_in_containers_equal_the_hosts(pinwheel, kernels, dockerd):
    kernels.edit(lambda matrix: matrix["environment"].update(toolkit="conda"))
    outcomes = kernels.report("test", "matrix.yaml", "--engine", "docker")
    assert states(outcomes) <= {"done", "skipped"}
    tested = {step.removeprefix("test:"): each for step, each in outcomes.items() if step.startswith("test:")}
    assert {name: each["evidence"] for name, each in tested.items() if name.startswith(CPU)} == {
        CPU: "ran",
        f"{CPU}@debian-bookworm": "ran",
    }
    assert tested[CUDA]["state"] == "skipped"
    assert dockerd.containers() == []
    inside, code = kernels.wheels(), device_code(pinwheel, kernels)
    assert len(inside) == 2 and sorted(len(each) > 0 for each in code.values()) == [False, True]

    kernels.start_afresh()
    kernels.run("build", "matrix.yaml", "--engine", "host")
    assert device_code(pinwheel, kernels) == code
    assert kernels.wheels() == inside
