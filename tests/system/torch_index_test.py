"""`environment.torch.index`: no command takes torch for another compute when that index does not respond."""

import json

import pytest
from conftest import PYTHON
from made_wheels import make_wheel

CLOSED = "http://127.0.0.1:9/whl"


@pytest.fixture
def script(project, tmp_path):
    """A project with torch, whose pip finds only a torch for CUDA 13.0."""
    links = tmp_path / "links"
    links.mkdir()
    make_wheel(links, "nvidia_cuda_runtime", "13.0.96")
    make_wheel(links, "torch", "2.13.0", requires=["nvidia-cuda-runtime==13.0.96"])
    script = project("script")
    script.environment |= {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": (tmp_path / "empty").as_uri(),
        "PIP_FIND_LINKS": str(links),
    }

    def change(matrix):
        matrix["axes"] = {"python": [PYTHON], "compute": ["cpu"], "torch": ["2.13"]}
        matrix["abi"] = {"python": "none", "torch": "none", "compute": "exact"}
        matrix["environment"] = {
            "variables": {"SCRIPT_FLAVOR": "plain"},
            "torch": {"spec": "torch~={torch}.0", "index": f"{CLOSED}/{{label}}"},
        }

    script.edit(change)
    return script


@pytest.mark.parametrize(
    "command", [["test"], ["build", "--dry-run"], ["env", "lock"]], ids=" ".join
)
def test_a_silent_index_is_an_error_that_names_it(script, command):
    refused = script.run(*command, "matrix.yaml", code=4)
    assert f"`{CLOSED}/cpu` for torch does not respond" in refused.stderr
    assert "torch 2.13.0 of the pip configuration was built for cu130, and does not replace it" in refused.stderr
    assert script.starts() == {}


def test_the_same_compute_from_elsewhere_is_used_with_a_warning(script):
    script.edit(lambda matrix: matrix["axes"].update(compute=["cuda/13.0"]))
    locked = script.run("env", "lock", "matrix.yaml")
    assert f"warning: the index `{CLOSED}/cu130` for torch does not respond" in locked.stderr
    assert "was built for cu130, too" in locked.stderr
    script.run("env", "lock", "matrix.yaml", "--check")


def test_without_an_index_torch_is_that_of_pip(script):
    script.edit(lambda matrix: matrix["environment"]["torch"].pop("index"))
    plan = json.loads(script.run("plan", "matrix.yaml", "--format", "json").stdout)
    assert plan
    assert "warning" not in script.run("env", "lock", "matrix.yaml").stderr
