"""The bundled kernels for ROCm, in the stage that the shipped Dockerfile has for it."""

import shutil
import subprocess
import zipfile

import pytest
from conftest import Project, environment_of_projects
from contained import DOCKERFILES, contain_kernels, use

# One worker: the second would make the same image, with a gigabyte of packages.
pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("rocm-image")]


@pytest.fixture
def kernels(pinwheel, kernels_repository, dockerd, served_channel, shared, tmp_path) -> Project:
    """Three families of the kernels, for a matrix with Debian's ROCm."""
    bases = dockerd.import_bases()
    directory = kernels_repository(tmp_path / "kernels", "kernels-rocm.yaml")
    shutil.copytree(DOCKERFILES, directory / "docker")
    kernels = Project(pinwheel, directory, environment_of_projects(shared), shared / "resolutions")
    kernels.patience = 1800
    use(kernels, dockerd)
    kernels.environment |= {"PINWHEEL_CONDA": "rattler"}
    kernels.edit(
        lambda matrix: contain_kernels(matrix, "rocm", "cumsum,jagged,quantize", served_channel.url, bases)
    )
    return kernels


def test_a_rocm_class_is_built_with_the_toolkit_of_its_image(pinwheel, kernels, dockerd):
    outcomes = kernels.report("build", "matrix.yaml", "--engine", "docker")
    assert {outcome["state"] for outcome in outcomes.values()} == {"done"}
    assert dockerd.containers() == []
    (name,) = kernels.wheels()
    wheel = kernels.output / name
    for arch_list, code in (("gfx90a", 0), ("gfx90a;gfx942", 5)):
        inspect = [pinwheel, "inspect", "--check", "--arch-list", arch_list, str(wheel)]
        assert subprocess.run(inspect, stdout=subprocess.DEVNULL).returncode == code
    with zipfile.ZipFile(wheel) as archive:
        assert b"libamdhip64.so.5" in archive.read("pinwheel_kernels/libpinwheel_ops.so")

    # An architecture that the image's hipcc lacks is refused there, too, before anything compiles.
    kernels.edit(lambda matrix: matrix["build"].update({"arch-list": ["gfx90a", "gfx942"]}))
    outcomes = kernels.report("build", "matrix.yaml", "--engine", "docker", code=4)
    (build,) = [outcome for step, outcome in outcomes.items() if step.startswith("build:")]
    assert "rocm/5.2" in build["error"]["message"] and "`gfx942`" in build["error"]["message"]
