"""The job lists of projects are expressible: `matrix/examples/` gives their builds, and workflows that pass the
linters. `tests/data/examples/` has the lists, of the projects' own files."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def fbgemm(row):
    family, _, version = row["compute"].partition("/")
    return (family, row["target"], row["python"], row["compiler"], row["arch"], version or "-")


def flash_attention(row):
    os = {"x86_64": "ubuntu-22.04", "aarch64": "ubuntu-22.04-arm"}[row["arch"]]
    patch = {"2.6": "2.6.0", "2.7": "2.7.1", "2.8": "2.8.0", "2.9": "2.9.1", "2.10": "2.10.0"}[row["torch"]]
    return (os, row["python"], patch, row["compute"].removeprefix("cuda/"), row["cxx11abi"])


def test_infra(row):
    family, _, version = row["compute"].partition("/")
    label = {"cpu": "cpu", "cuda": "cu" + version.replace(".", ""), "rocm": "rocm" + version, "xpu": "xpu"}[family]
    return (row["python"], label)


EXAMPLES = {
    "fbgemm": (fbgemm, 88),
    "flash-attention": (flash_attention, 56),
    "test-infra": (test_infra, 56),
    "test-infra-xpu": (test_infra, 40),
}
test_infra.__test__ = False  # a spelling of rows, not a test


@pytest.fixture(params=EXAMPLES)
def example(request):
    return request.param


def run(pinwheel, *arguments):
    ran = subprocess.run([pinwheel, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_builds_are_those_of_the_project(pinwheel, example):
    spelled, count = EXAMPLES[example]
    matrix = ROOT / "matrix" / "examples" / f"{example}.yaml"
    rows = json.loads(run(pinwheel, "plan", matrix, "--format", "github", "--stage", "build"))["include"]
    text = (ROOT / "tests" / "data" / "examples" / f"{example}.txt").read_text()
    wanted = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(wanted) == count
    assert sorted(" ".join(spelled(row)) for row in rows) == sorted(wanted)


def test_its_workflows_pass_the_linters(pinwheel, example, tmp_path):
    out = tmp_path / ".github" / "workflows"
    run(pinwheel, "ci", "generate", ROOT / "matrix" / "examples" / f"{example}.yaml", "--out", out)
    files = sorted(map(str, out.glob("*.yml")))
    assert len(files) >= 2
    programs = Path(sys.executable).parent
    for command in ([programs / "actionlint", "-no-color", "-shellcheck=", "-pyflakes="],
                    [programs / "zizmor", "--offline", "--persona", "auditor", "--format", "plain"],
                    [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]):
        ran = subprocess.run([*command, *files], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stdout + ran.stderr
