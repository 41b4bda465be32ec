"""The bundled kernels for ROCm, in the shipped Dockerfile's ROCm stage."""

import subprocess
import zipfile

import pytest
from conftest import Project
from contained import contain_kernels, states

# One worker: a second would build the same image, with a gigabyte of packages.
pytestmark = [pytest.mark.docker, pytest.mark.images, pytest.mark.xdist_group("rocm-image")]


@pytest.fixture
def kernels(kernels_project, dockerd, served_channel) -> Project:
    """One family of the kernels, for a matrix with Debian's ROCm."""
    kernels = kernels_project("kernels-rocm.yaml")
    kernels.patience = 1800
    contain_kernels(kernels, dockerd, served_channel.url, "rocm", "cumsum")
    return kernels


def test_a_rocm_class_is_built_with_the_toolkit_of_its_image(pinwheel, kernels, dockerd):
    outcomes = kernels.report("build", "matrix.yaml", "--engine", "docker")
    assert states(outcomes) == {"done"}
    assert dockerd.containers() == []
    (name,) = kernels.wheels()
    wheel = kernels.output / name
    for arch_list, code in (("gfx90a", 0), ("gfx90a;gfx942", 5)):
        inspect = [pinwheel, "inspect", "--check", "--arch-list", arch_list, str(wheel)]
        assert subprocess.run(inspect, stdout=subprocess.DEVNULL).returncode == code
    with zipfile.ZipFile(wheel) as archive:
        assert b"libamdhip64.so.5" in archive.read("pinwheel_kernels/libpinwheel_ops.so")

    # An architecture that the image's hipcc lacks is refused before anything compiles.
    kernels.edit(lambda matrix: matrix["build"].update({"arch-list": ["gfx90a", "gfx942"]}))
    outcomes = kernels.report("build", "matrix.yaml", "--engine", "docker", code=4)
    (build,) = [outcome for step, outcome in outcomes.items() if step.startswith("build:")]
    assert "rocm/5.2" in build["error"]["message"] and "`gfx942`" in build["error"]["message"]
