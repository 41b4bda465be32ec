"""Split builds (`build.split`) of the bundled kernels and of separately compiled device code, and on a cluster."""

import pytest
from slurm_runs import SlurmRuns
from split_builds import NEEDS_NVCC, Split, build_of, repeats, uses

pytestmark = NEEDS_NVCC


def devices_of(outcomes: dict[str, dict]) -> list[str]:
    return sorted(step for step in outcomes if step.startswith("device:"))


@pytest.mark.parts
@pytest.mark.takes(60)
def test_separately_compiled_device_code_is_linked_in_the_build(project):
    split = Split(project("script"))
    split.write("set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)\nset(CMAKE_CUDA_RESOLVE_DEVICE_SYMBOLS ON)")
    split.use(None)
    split.build()
    plain = split.wheels()
    split.use()
    outcomes = split.build()
    hits, misses = uses(build_of(outcomes))
    assert hits >= 8 and misses == 0 and repeats(build_of(outcomes)) == []
    assert split.wheels() == plain and len(plain) == 1


@pytest.mark.parts
@pytest.mark.takes(90)
def test_each_architecture_compiles_in_a_job_of_a_cluster(project, slurm, tmp_path):
    split = Split(project("script"))
    runs = SlurmRuns(split.script, slurm(), tmp_path / "site", memory="1 GiB")
    split.use(None)
    split.build()
    plain = split.wheels()
    split.use()
    split.script.start_afresh()
    outcomes = runs.report("build", "matrix.yaml")
    devices, build = devices_of(outcomes), build_of(outcomes)
    assert len(devices) == 2 and uses(build) == (12, 0) and repeats(build) == []
    runs.check_finished_once([*devices, build["id"]])
    assert split.wheels() == plain


@pytest.mark.torch
@pytest.mark.takes(400)
def test_the_bundled_kernels_are_split(kernels_project):
    kernels = kernels_project("kernels-both.yaml")
    kernels.patience = 3600
    kernels.environment |= {"CCACHE_DISABLE": "1"}

    def change(matrix: dict, split: str) -> None:
        matrix["axes"]["compute"] = ["cuda/13.0"]
        matrix["environment"]["variables"] = {"PINWHEEL_FLAVOR": "cumsum"}
        matrix["overrides"][0]["build"] = {"arch-list": ["9.0a", "10.0+PTX"], "split": split}

    wheels = []
    for split in ("none", "architectures"):
        kernels.edit(lambda matrix, split=split: change(matrix, split))
        kernels.start_afresh()
        outcomes = kernels.report("build", "matrix.yaml")
        wheels.append({name: digest for name, digest in kernels.wheels().items() if name.endswith(".whl")})
    assert len(devices_of(outcomes)) == 2
    hits, misses = uses(build_of(outcomes))
    assert hits > 0 and misses == 0 and repeats(build_of(outcomes)) == []
    assert wheels[0] == wheels[1] and len(wheels[0]) == 1
