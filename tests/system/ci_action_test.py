"""The action at the root of this repository, for `uses: OWNER/pinwheel@v1`."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from ci_generate_test import linted, make_repository, program

ROOT = Path(__file__).resolve().parents[2]
MATRIX = "schema: pinwheel/1\npackage: {name: demo, source: ..}\naxes: {python: ['3.11']}\nchannels: {ci: {}}\n"


@pytest.fixture(scope="module")
def action(pinwheel, tmp_path_factory) -> str:
    """The action that `ci generate` writes."""
    place = tmp_path_factory.mktemp("action")
    make_repository(place)
    (place / "matrix" / "demo.yaml").write_text(MATRIX)
    generated = subprocess.run([pinwheel, "ci", "generate", "--set", "ci"], cwd=place, capture_output=True, text=True)
    assert generated.returncode == 0, generated.stderr
    return (place / ".github" / "actions" / "pinwheel" / "action.yml").read_text()


def test_it_is_the_generated_one(action, pytestconfig):
    if pytestconfig.getoption("--bless"):
        (ROOT / "action.yml").write_text(action)
    assert (ROOT / "action.yml").read_text() == action, "run `pytest tests/system/ci_action_test.py --bless`"


def test_the_linters_find_nothing():
    linted([program("zizmor"), "--offline", "--persona", "auditor", "--format", "plain"], [ROOT / "action.yml"])
    linted([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions"], [ROOT / "action.yml"])


def test_an_error_of_a_matrix_shows_at_its_line(action, tmp_path):
    (step,) = [step for step in yaml.safe_load(action)["runs"]["steps"] if "add-matcher" in step.get("run", "")]
    said = subprocess.run(["bash", "-c", step["run"]], env={"RUNNER_TEMP": str(tmp_path), "PATH": "/usr/bin:/bin"},
                          check=True, capture_output=True, text=True).stdout  # fmt: skip
    file = Path(said.strip().removeprefix("::add-matcher::"))
    (matcher,) = json.loads(file.read_text())["problemMatcher"]
    first, second = matcher["pattern"]
    error, place = (ROOT / "tests" / "cli" / "unknown-key" / "stderr").read_text().splitlines()[:2]
    found, at = re.search(first["regexp"], error), re.search(second["regexp"], place)
    assert (found[first["severity"]], found[first["message"]]) == ("error", "unknown key `axs`")
    assert (at[second["file"]], at[second["line"]], at[second["column"]]) == ("demo.yaml", "3", "1")
