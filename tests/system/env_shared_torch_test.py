"""Environments with the same torch share its bytes."""

import json
import pathlib
import subprocess

import pytest
from conftest import PYTHON, environment_of_projects

pytestmark = [
    pytest.mark.torch,
    pytest.mark.takes(150),
    pytest.mark.skipif(PYTHON != "3.11", reason="the torch of the tests is for CPython 3.11"),
]

PYPROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "demo"
version = "1.0"
dependencies = ["torch"]
"""
MATRIX = """\
schema: pinwheel/1
package: {{name: demo, source: ., version: {{from: project}}}}
axes: {{python: ["3.11"], compute: [cpu], torch: ["2.13"]}}
abi: {{python: version, torch: minor, compute: exact}}
environment:
  pip: [{extra}]
  torch: {{spec: "torch==2.13.0", index: {{cpu: "https://download.pytorch.org/whl/cpu"}}}}
"""


def make(directory: pathlib.Path, extra: str) -> pathlib.Path:
    (directory / "demo").mkdir(parents=True)
    (directory / "demo" / "__init__.py").touch()
    (directory / "pyproject.toml").write_text(PYPROJECT)
    (directory / "matrix.yaml").write_text(MATRIX.format(extra=extra))
    git = ["git", "-C", directory, "-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *arguments], check=True)
    return directory


def du(*paths: pathlib.Path) -> int:
    """The bytes on disk of these directories together."""
    out = subprocess.run(["du", "-sc", "--block-size=1", *paths], check=True, capture_output=True, text=True).stdout
    return int(out.splitlines()[-1].split()[0])


def test_two_environments_that_are_made_at_once_have_one_torch(pinwheel, shared, tmp_path):
    cache = tmp_path / "cache"
    environment = environment_of_projects(shared) | {"PINWHEEL_CACHE_DIR": str(cache)}
    running = [
        subprocess.Popen([pinwheel, "build", "matrix.yaml"], cwd=make(tmp_path / extra, extra), env=environment,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for extra in ("idna", "tomlkit")
    ]  # fmt: skip
    for each in running:
        output = each.communicate()[0]
        assert each.returncode == 0, output
    libraries = sorted(cache.glob("environments/*/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so"))
    assert len(libraries) >= 2
    assert len({library.stat().st_ino for library in libraries}) == 1

    places = [library.parents[5] for library in libraries]
    one = du(places[0])
    # Beside torch each has byte code, pip and its tools.
    assert du(*places) < one + len(places[1:]) * one // 3
    for place in places:
        python = place / "bin" / "python"
        subprocess.run([python, "-c", "import torch; assert torch.ones(2).sum() == 2"], check=True)
        subprocess.run([python, "-m", "pip", "check"], check=True)

    listed = subprocess.run([pinwheel, "env", "list", "--json"], env=environment, check=True, capture_output=True)
    report = json.loads(listed.stdout)
    with_torch = [each for each in report["environments"] if each["torch"]]
    assert all(each["shared-bytes"] > each["own-bytes"] for each in with_torch)
    assert report["total-bytes"] < sum(each["bytes"] for each in report["environments"])
