"""Toolkits that pinwheel makes: nvcc from PyPI, in separate prefixes."""

import json
import os
import pathlib
import subprocess
import zipfile

import pytest

# One worker: a second would download the same toolkits.
pytestmark = [pytest.mark.torch, pytest.mark.xdist_group("toolkits")]

PYPI = "kernels-toolkit-pypi.yaml"
ONE_CUDA = (", cuda/13.2]", "]")


class Place:
    """A state directory, an output directory and a cache for this module, and commands that use them."""

    def __init__(self, binary: str, directory: pathlib.Path):
        self.binary = binary
        self.directory = directory
        # Neither CUDA_HOME nor an nvcc of this machine may be used instead of PyPI's.
        dropped = ("CUDA_HOME", "CUDA_PATH", "CUDACXX", "CUDAHOSTCXX", "CC", "CXX")
        self.environment = {key: value for key, value in os.environ.items() if key not in dropped}
        self.environment |= {"PINWHEEL_CACHE_DIR": str(directory / "cache"), "NO_COLOR": "1"}

    def run(self, *arguments: str, code: int = 0, **changes: str) -> subprocess.CompletedProcess:
        ran = subprocess.run(
            [self.binary, *arguments],
            env=self.environment | changes,
            capture_output=True,
            text=True,
            timeout=1800,
        )
        assert ran.returncode == code, f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        return ran

    def start(
        self, verb: str, project: pathlib.Path, *options: str, code: int = 0, **changes: str
    ) -> subprocess.CompletedProcess:
        places = ["--state-dir", str(self.directory / "state"), "-o", str(self.directory / "dist")]
        return self.run(verb, str(project / "matrix.yaml"), *places, *options, code=code, **changes)

    def perform(self, verb: str, project: pathlib.Path, *options: str, code: int = 0, **changes: str) -> dict[str, dict]:
        """The outcomes of a command, by step."""
        ran = self.start(verb, project, "--json", *options, code=code, **changes)
        return {outcome["id"]: outcome for outcome in json.loads(ran.stdout)["outcomes"]}

    def toolkits(self) -> list[dict]:
        ran = self.run("env", "list", "--json")
        return [row for row in json.loads(ran.stdout)["environments"] if row["toolkit"]]


@pytest.fixture(scope="module")
def place(pinwheel, tmp_path_factory) -> Place:
    return Place(pinwheel, tmp_path_factory.mktemp("toolkits"))


def test_two_cudas_from_pypi_build_side_by_side(place, kernels_repository, tmp_path):
    project = kernels_repository(tmp_path / "project", PYPI)
    outcomes = place.perform("build", project)
    wheels = {}
    for minor in ("130", "132"):
        (output,) = outcomes[f"build:cu{minor}"]["outputs"]
        wheels[minor] = pathlib.Path(output["path"])
        place.run("inspect", "--check", "--arch-list", "9.0", output["path"])
        place.run("inspect", "--check", "--arch-list", "9.0;10.0", output["path"], code=5)
    rows = {row["toolkit"].rsplit(".", 1)[0]: row for row in place.toolkits()}
    assert set(rows) == {"cuda/13.0", "cuda/13.2"}
    for row in rows.values():
        assert row["complete"] and row["bytes"] > 100_000_000 and row["python"] == ""
        release = row["toolkit"].removeprefix("cuda/")
        minor = "".join(release.split(".")[:2])
        log = pathlib.Path(outcomes[f"build:cu{minor}"]["log"]).read_text()
        assert f"The CUDA compiler identification is NVIDIA {release}" in log
        with zipfile.ZipFile(wheels[minor]) as wheel:
            contents = b"".join(wheel.read(name) for name in wheel.namelist())
        assert str(place.directory).encode() not in contents

    # Both are reused: nothing is resolved, installed or built again.
    again = place.perform("build", project)
    assert {outcome["state"] for outcome in again.values()} == {"reused"}
    recorded = [json.loads(path.read_text()) for path in (place.directory / "state" / "resolutions").glob("*.json")]
    nvcc = {p["version"] for each in recorded for p in each["packages"] if p["name"] == "nvidia-cuda-nvcc"}
    assert nvcc == {row["toolkit"].removeprefix("cuda/") for row in rows.values()}

    place.run("env", "rm", rows["cuda/13.2"]["id"])
    assert [row["id"] for row in place.toolkits()] == [rows["cuda/13.0"]["id"]]


def test_a_host_compiler_that_is_too_new_is_refused_before_anything_compiles(place, kernels_repository, tmp_path):
    stand_in = tmp_path / "g++-99"
    stand_in.write_text(
        "#!/bin/sh\necho 'g++-99 (Debian 99.1.0-1) 99.1.0'\necho 'Copyright (C) 2031 Free Software Foundation, Inc.'\n"
    )
    stand_in.chmod(0o755)
    project = kernels_repository(tmp_path / "project", PYPI, ONE_CUDA)
    outcomes = place.perform("build", project, code=4, CUDAHOSTCXX=str(stand_in))
    (build,) = [outcome for step, outcome in outcomes.items() if step.startswith("build:")]
    assert build["state"] == "failed" and build["attempts"] == 1
    report = json.dumps(build["error"])
    assert "gcc 99.1.0" in report and "cuda/13.0, which supports gcc 6 to 15" in report


def test_an_architecture_that_nvcc_lacks_is_refused_before_anything_compiles(place, kernels_repository, tmp_path):
    project = kernels_repository(tmp_path / "project", PYPI, ONE_CUDA, ('["9.0"]', '["7.0", "9.0"]'))
    outcomes = place.perform("build", project, code=4)
    (build,) = [outcome for step, outcome in outcomes.items() if step.startswith("build:")]
    report = json.dumps(build["error"])
    assert "does not compile for `7.0`; it has 7.5, 8.0" in report
