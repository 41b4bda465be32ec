"""One commit of the bundled kernels gives the same wheels for the CPU and for CUDA wherever it is built."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import digests

pytestmark = pytest.mark.torch


def clone(origin: pathlib.Path, target: pathlib.Path) -> None:
    subprocess.run(["git", "clone", "-q", str(origin), str(target)], check=True)


def build(pinwheel: str, clone: pathlib.Path, jobs: str, **changes: str) -> dict[str, str]:
    output = clone.parent / "dist"
    ran = subprocess.run(
        [pinwheel, "build", "matrix.yaml", "--json", jobs, "--state-dir", str(clone.parent / "state"), "-o", str(output)],
        cwd=clone,
        env={**os.environ, **changes},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert ran.returncode == 0, ran.stderr
    assert {each["state"] for each in json.loads(ran.stdout)["outcomes"]} == {"done"}
    return digests(output)


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")
def test_two_clones_give_the_same_wheels_for_the_cpu_and_for_cuda(pinwheel, kernels_repository, tmp_path):
    origin = kernels_repository(tmp_path / "origin", "kernels-both.yaml")
    one, two = tmp_path / "a" / "clone", tmp_path / "b, with a longer name" / "clone"
    one.parent.mkdir()
    two.parent.mkdir()
    clone(origin, one)
    first = build(pinwheel, one, "-j1", CCACHE_DISABLE="1", TZ="UTC")
    mask = os.umask(0o077)
    try:
        clone(origin, two)
        second = build(pinwheel, two, "-j2", CCACHE_DISABLE="1", TZ="Asia/Tokyo", LANG="C")
    finally:
        os.umask(mask)
    assert len(first) == 2
    assert [name for name in first if "+cpu" in name] and [name for name in first if "+cu13" in name]
    assert first == second
