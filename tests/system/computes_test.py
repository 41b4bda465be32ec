"""Computes that the matrix declares are planned, built, tested and published like those that pinwheel knows."""

import functools
import http.server
import json
import pathlib
import zipfile

import pytest
import yaml
from loopback import serving

VERSION = "torch/version.py"
TORCH = {
    "torch/__init__.py": "from torch.version import __version__\n",
    VERSION: "__version__ = '2.0.99+hpu122'\n",
    "torch-2.0.99.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.0.99\n",
    "torch-2.0.99.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
CHECK = "import os, torch; assert torch.__version__ == '2.0.99+hpu122'; print('on', os.environ['PINWHEEL_COMPUTE'])"


def make_torch_index(directory: pathlib.Path) -> None:
    """An index that has nothing but a torch for gaudi/1.22."""
    (directory / "torch").mkdir(parents=True)
    path = directory / "torch" / "torch-2.0.99-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in {**TORCH, "torch-2.0.99.dist-info/RECORD": "".join(f"{name},,\n" for name in TORCH)}.items():
            wheel.writestr(zipfile.ZipInfo(name), text)
    (directory / "torch" / "index.html").write_text(f'<a href="{path.name}">{path.name}</a>\n')


@pytest.fixture
def torch_indexes(tmp_path):
    """The address of a server with the index `hpu122`."""
    make_torch_index(tmp_path / "indexes" / "hpu122")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "indexes"))
    with serving(handler) as url:
        yield url


@pytest.fixture
def gaudi(project, tmp_path, torch_indexes):
    """A project with one known and one declared compute, whose device is there or not."""
    one = project("script")

    def change(matrix):
        matrix["axes"]["compute"] = ["cpu", "gaudi/1.22"]
        matrix["axes"]["flavor"] = ["plain"]
        line = {"hardware": str(tmp_path / "accel0"), "label": "hpu122", "index": torch_indexes + "/{label}"}
        matrix["computes"] = {"gaudi/1.22": line}
        matrix["overrides"] = [{"when": {"compute": "gaudi/*"}, "environment": {"torch": {"spec": "torch==2.0.99"}}}]
        matrix["overrides"][0]["test"] = {"command": ["python", "-c", CHECK]}
        matrix["publish"]["require"] = {"{gaudi,mtia{1,2}}/*": "ran", "default": "ran"}
        matrix["ci"] = {"runners": {"test": {"gaudi/1": ["self-hosted", "gaudi"]}}}

    one.edit(change)
    one.device = tmp_path / "accel0"
    return one


def test_a_declared_compute_is_released_where_its_device_is(gaudi):
    gaudi.device.touch()
    outcomes = gaudi.report("release", "matrix.yaml")
    (test,) = [outcome for step, outcome in outcomes.items() if step.startswith("test:") and "hpu122" in step]
    assert (test["state"], test["evidence"]) == ("done", "ran")
    assert sorted(gaudi.wheels()) == [
        "script_only-1.2.0+cpu.plain-py3-none-any.whl",
        "script_only-1.2.0+hpu122.plain-py3-none-any.whl",
    ]
    assert "on gaudi/1.22" in gaudi.run("logs", test["id"]).stdout
    page = (gaudi.index / "hpu122.plain" / "script-only" / "index.html").read_text()
    assert "script_only-1.2.0%2Bhpu122" in page and "cpu" not in page


def test_without_the_device_the_evidence_is_too_little(gaudi):
    ran = gaudi.run("release", "matrix.yaml", code=5)
    assert f"no `{gaudi.device}` here; the wheel was installed and imported" in ran.stderr
    assert not gaudi.index.exists()


def test_rows_runners_and_frozen_plans_know_a_declared_compute(gaudi):
    rows = json.loads(gaudi.run("plan", "matrix.yaml", "--format", "github").stdout)["include"]
    assert [row["compute"] for row in rows] == ["cpu", "gaudi/1.22"]
    gaudi.run("plan", "matrix.yaml", "--out", "plan.json")
    frozen = json.loads(gaudi.run("plan", "--plan", "plan.json", "--format", "github", "--stage", "test").stdout)
    (row,) = [row for row in frozen["include"] if row["compute"] == "gaudi/1.22"]
    assert row["runner"] == ["self-hosted", "gaudi"]
    generated = gaudi.run("ci", "generate", "matrix.yaml", "--out", "workflows")
    assert generated.stderr.count("warning") == 0
    assert "hpu122" in gaudi.run("explain", rows[1]["id"], "matrix.yaml").stdout


def test_a_misspelling_of_a_known_compute_is_refused_with_the_line_that_would_declare_it(gaudi):
    matrix = yaml.safe_load((gaudi.directory / "matrix.yaml").read_text())
    matrix["axes"]["compute"] = ["cpu", "guadi/1.22"]
    (gaudi.directory / "matrix.yaml").write_text(yaml.safe_dump(matrix, sort_keys=False))
    ran = gaudi.run("plan", "matrix.yaml", code=2)
    assert "unknown compute `guadi/1.22`" in ran.stderr and "did you mean `gaudi/1.22`?" in ran.stderr
