"""The quickstart's workflows, run by act: a real torch in each job, kernels compiled and tested, an index, and pip."""

import json
import os
import pathlib
import subprocess

import pytest
from act_workflows import SECRET, Workflows
from conftest import digests
from guarded_index import guarded_index
from indexes import pip_installs
from kernels_checkout import kernels_checkout
from real_torch import torch_python

pytestmark = pytest.mark.torch

TARGET = "index: {kind: directory, path: ../dist/index, label: local}"
USE = """\
import json, pinwheel_kernels, torch
offsets = torch.ops.pinwheel.asynchronous_complete_cumsum(torch.tensor([2, 0, 3]))
dense = torch.ops.pinwheel.jagged_to_padded_dense(torch.arange(5.0)[:, None], [offsets], [3], -1.0)
print(json.dumps([offsets.tolist(), dense.squeeze(-1).tolist()]))
"""
USED = [[0, 2, 2, 5], [[0, 1, -1], [-1, -1, -1], [2, 3, 4]]]


def of_this_machine(place: pathlib.Path) -> dict[str, str]:
    """The settings of this machine that jobs use besides its programs, although their home is another: pip's indexes, and
    the cache of ccache, which names sources by their paths in a job."""
    settings = pathlib.Path(os.environ.get("XDG_CONFIG_HOME") or pathlib.Path.home() / ".config")
    configuration = settings / "pip" / "pip.conf"
    pip = {"PIP_CONFIG_FILE": str(configuration)} if configuration.exists() else {}
    kept = subprocess.run(["ccache", "-k", "cache_dir"], check=True, capture_output=True, text=True).stdout.strip()
    return {**pip, "CCACHE_DIR": kept, "CCACHE_BASEDIR": str(place)}


@pytest.mark.takes(500)
def test_the_workflows_of_the_quickstart_reach_an_index(pinwheel, shared, root, compiler_cache, tmp_path):
    packages = tmp_path / "packages"
    packages.mkdir()
    text = (root / "matrix" / "quickstart.yaml").read_text()
    assert TARGET in text
    with guarded_index(packages, SECRET) as url:
        index = f"index: {{kind: index, url: '{url}/', label: local}}"
        project = kernels_checkout(pinwheel, shared, root, tmp_path, text.replace(TARGET, index))
        place = tmp_path / "act"
        project.environment |= {"PATH": compiler_cache["PATH"]} | of_this_machine(place)
        workflows = Workflows(project, place, "matrix/matrix.yaml")

        checked = workflows.run("ci", "pull_request")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        (build, test) = workflows.results()
        assert build.startswith("result-build-") and test.startswith("result-test-cp311-cpu-")
        assert list(packages.iterdir()) == []
        workflows.forget()

        ran = workflows.run("release", "push", "-s", f"PINWHEEL_TOKEN_INDEX={SECRET}")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert workflows.results() == [build, test]
        assert workflows.invocations() == ["--version", "release --target"]
        ((wheel, digest),) = digests(packages).items()
        assert wheel.startswith("pinwheel_kernels-1.2.0") and "-py3-none-" in wheel
        assert digest in digests(workflows.artifacts / build).values()

        python = torch_python("2.13.0")
        pip_installs(f"{url}/simple/", tmp_path / "installed", "--no-deps", "pinwheel-kernels", python=python)
    used = subprocess.run(
        [python, "-c", USE],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(used.stdout) == USED
