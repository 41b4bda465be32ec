"""The project's own workflows are what its matrices give: `pinwheel ci generate MATRIX` after a change of one."""

import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
OWN = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("matrix/*.yaml")
             if "ci" in yaml.safe_load(path.read_text()))


@pytest.mark.parametrize("matrix", OWN)
def test_the_workflows_are_those_of_the_matrix(pinwheel, matrix):
    ran = subprocess.run([pinwheel, "ci", "check", matrix], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_no_generated_workflow_is_left_of_a_matrix_that_is_gone():
    heads = [path.read_text().partition("\n")[0] for path in (ROOT / ".github" / "workflows").glob("pinwheel-*.yml")]
    assert {head.partition(" from ")[2].partition(";")[0] for head in heads} == set(OWN)
