"""The action at the root of this repository, for `uses: OWNER/pinwheel@v1`."""

import json
import os
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
    printed = subprocess.run(["bash", "-c", step["run"]], env={"RUNNER_TEMP": str(tmp_path), "PATH": "/usr/bin:/bin"},
                          check=True, capture_output=True, text=True).stdout  # fmt: skip
    file = Path(printed.strip().removeprefix("::add-matcher::"))
    (matcher,) = json.loads(file.read_text())["problemMatcher"]
    first, second = matcher["pattern"]
    error, place = (ROOT / "tests" / "cli" / "unknown-key" / "stderr").read_text().splitlines()[:2]
    found, at = re.search(first["regexp"], error), re.search(second["regexp"], place)
    assert (found[first["severity"]], found[first["message"]]) == ("error", "unknown key `axs`")
    assert (at[second["file"]], at[second["line"]], at[second["column"]]) == ("demo.yaml", "3", "1")


@pytest.fixture
def run_step(action, tmp_path):
    """A function that runs the last step, and returns its result and what its pinwheel was given."""
    given = tmp_path / "given"
    program = tmp_path / "pinwheel" / "bin" / "pinwheel"
    program.parent.mkdir(parents=True)
    program.write_text(f"""#!{sys.executable}
import json, os, pathlib, sys
variables = [os.environ.get(name) for name in ("PINWHEEL_STORE", "PINWHEEL_CACHE_DIR")]
pathlib.Path({str(given)!r}).write_text(json.dumps([sys.argv[1:], *variables]))
""")
    program.chmod(0o755)
    (install,) = [step for step in yaml.safe_load(action)["runs"]["steps"] if step.get("id") == "install"]
    (step,) = [step for step in yaml.safe_load(action)["runs"]["steps"] if step.get("id") == "run"]

    def run(args, store="", output="", **variables):
        given.unlink(missing_ok=True)
        outputs = tmp_path / "outputs"
        outputs.write_text("")
        caller = {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(outputs)} | variables
        subprocess.run(["bash", "-c", install["run"]], env=caller | {"VERSION": "0"}, check=True, timeout=60)
        printed = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
        values = {"inputs.args": args, "inputs.output": output, "inputs.store": store,
                  **{f"steps.install.outputs.{name}": value for name, value in printed.items()}}
        own = {name: values[value.removeprefix("${{ ").removesuffix(" }}")] for name, value in step["env"].items()}
        ran = subprocess.run(["bash", "-c", step["run"]], env=caller | own, capture_output=True, text=True, timeout=60)
        return ran.returncode, json.loads(given.read_text()) if given.exists() else None

    return run


@pytest.mark.parametrize("args", ['release m.yaml "--dry-run', "release m.yaml 'cp312*", 'release "m.yaml\n--dry-run"'])
@pytest.mark.parametrize("output", ["", "text"])
def test_a_quote_without_an_end_runs_nothing(run_step, args, output):
    code, given = run_step(args, output=output)
    assert code != 0 and given is None


def test_arguments_are_those_that_are_quoted(run_step):
    code, (words, *_) = run_step("release 'a  b' \"c'd\" '' e*\n--json ''")
    assert (code, words) == (0, ["release", "a  b", "c'd", "", "e*", "--json", ""])


def test_variables_of_the_workflow_count_where_no_input_does(run_step, tmp_path):
    cache = str(tmp_path / "pinwheel-cache")
    assert run_step("plan") == (0, [["plan"], None, cache])
    mine = {"PINWHEEL_STORE": "s3://bucket/prefix", "PINWHEEL_CACHE_DIR": "/mnt/cache"}
    assert run_step("plan", **mine) == (0, [["plan"], "s3://bucket/prefix", "/mnt/cache"])
    assert run_step("plan", store="dir:x", **mine) == (0, [["plan"], "dir:x", "/mnt/cache"])
