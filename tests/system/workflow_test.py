"""The project's own workflows, checked by common linters."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def actionlint(workflow):
    program = Path(sys.executable).with_name("actionlint")
    return subprocess.run([str(program), "-no-color", "-shellcheck=", "-pyflakes=", str(workflow)], capture_output=True, text=True)


def test_there_are_workflows():
    assert [path.name for path in WORKFLOWS] != []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_finds_nothing(workflow):
    done = actionlint(workflow)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actionlint_finds_a_job_that_needs_an_unknown_job(tmp_path):
    broken = tmp_path / "broken.yml"
    broken.write_text(WORKFLOWS[0].read_text().replace("    runs-on:", "    needs: nobody\n    runs-on:", 1))
    done = actionlint(broken)
    assert done.returncode == 1 and "nobody" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_zizmor_finds_nothing(workflow):
    program = Path(sys.executable).with_name("zizmor")
    done = subprocess.run([str(program), "--offline", "--format", "plain", str(workflow)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_match_their_schema(workflow):
    done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema",
                           "vendor.github-workflows", str(workflow)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_commit(workflow):
    for line in workflow.read_text().splitlines():
        if "uses:" in line and "uses: ./" not in line:
            assert re.search(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d", line), line
