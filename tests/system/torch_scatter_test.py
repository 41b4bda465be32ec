"""A third-party project, unchanged: torch-scatter's sdist from PyPI, one build for its Python and torch."""

import json
import subprocess

import pytest

pytestmark = pytest.mark.torch


def test_torch_scatter_is_built_checked_and_tested(pinwheel, root, tmp_path):
    ran = subprocess.run(
        [
            pinwheel, "test", str(root / "matrix" / "torch-scatter.yaml"), "--only", "cp311-cpu-torch2.13", "--json",
            "--state-dir", str(tmp_path / "state"), "-o", str(tmp_path / "dist"),
        ],
        capture_output=True,
        text=True,
        timeout=3600,
    )  # fmt: skip
    print(ran.stderr)
    assert ran.returncode == 0
    outcomes = {each["id"]: each for each in json.loads(ran.stdout)["outcomes"]}
    assert outcomes["test:cp311-cpu-torch2.13"]["evidence"] == "ran"
    (wheel,) = (tmp_path / "dist").glob("torch_scatter-2.1.2+*-cp311-cp311-manylinux_*.whl")
    assert wheel.stat().st_size > 100_000
