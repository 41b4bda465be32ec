"""The bundled kernels' own tests with the oldest torch they support and with the newest: one wheel for both."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_wheels import KERNELS, build_wheel

pytestmark = pytest.mark.torch

OLDEST = "2.10.0"
CONFIG_ERROR = 2  # nothing satisfies the requirements


def releases(pinwheel: str) -> list[str]:
    """The releases of torch that pinwheel knows, ascending."""
    report = subprocess.run([pinwheel, "torch-exports", "list", "--json"], check=True, capture_output=True, text=True)
    builds = [each["version"] for each in json.loads(report.stdout)["builds"] if each["arch"] == "x86_64"]
    return [version for version in builds if "+" not in version]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("kernels"))


def command_of_tests() -> str:
    """A shell command that runs the kernels' tests with the Python on PATH, which has only torch and the wheel."""
    pip = f'{shlex.quote(sys.executable)} -m pip --python "$(command -v python)" install -q --target tools pytest numpy'
    code = "import sys; sys.path.append('tools'); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    return f"{pip} && " + shlex.join(["python", "-c", code, "-q", "-k", "not cuda", str(KERNELS / "tests")])


def run_with_torch(pinwheel: str, wheel: Path, version: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [pinwheel, "compat", str(wheel), "--run", "--torch", version, "--timeout", "30 min", "--json"]
        + ["--smoke", command_of_tests()],
        capture_output=True,
        text=True,
    )


def assert_ran(ran: subprocess.CompletedProcess[str], version: str) -> None:
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    (torch,) = json.loads(ran.stdout)["torch"]
    assert torch["version"] == version and torch["verdict"] == "guaranteed"
    assert torch["run"]["state"] == "ran"


def test_it_runs_with_the_oldest_supported_torch(pinwheel, wheel):
    assert_ran(run_with_torch(pinwheel, wheel, OLDEST), OLDEST)


def test_it_runs_with_the_newest_torch_that_pip_resolves_here(pinwheel, wheel):
    """A constraint in the user's configuration may exclude the newest release."""
    for version in reversed(releases(pinwheel)):
        ran = run_with_torch(pinwheel, wheel, version)
        if ran.returncode != CONFIG_ERROR:
            break
    assert_ran(ran, version)
    assert version != OLDEST
