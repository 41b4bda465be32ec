"""Parents with child pipelines, run by gitlab-ci-local and gitlabci-local.

Ten builds that may outlast their job, so that each has 20 jobs, and ten tests are 210 jobs: one child has the builds,
and one the tests. Most jobs are removed from the children before they run.

gitlab-ci-local runs the child of a trigger, with the source `parent_pipeline`. It differs from GitLab in these ways:

- It ignores `needs: [{pipeline: ...}]`. A line before the other commands of each job of a child copies the artifact of
  the parent's job instead.
- It expands the variables of a trigger in the child, so `PARENT_PIPELINE_ID` has a value, but not the parent's number.
- It ignores `strategy: depend`: a trigger succeeds even if its child fails.

gitlabci-local runs no triggers, so the test runs jobs of the children by their names, in the order of the triggers.
"""

import re
import shutil
import subprocess

import pytest
import yaml
from gitlab import EVENTS, GCIL, MERGE_REQUEST, Pipelines

FLAVORS = [f"f{number}" for number in range(10)]


@pytest.fixture
def pipelines(script, tmp_path):
    """Pipelines with children, whose results reach their parent through a store."""
    def change(matrix):
        matrix["axes"].update(flavor=FLAVORS)
        matrix["build"].update(timeout="40 h", checkpoint={"before": "10 min"})
        matrix["ci"] = {"store": f"dir:{tmp_path / 'store'}", "timeout": "2 h"}

    script.edit(change)
    return Pipelines(script, tmp_path / "gitlab")


def file_of(pipelines, kind: str):
    """The only child with the rows of a kind."""
    (path,) = pipelines.project.directory.glob(f".gitlab/pinwheel-ci-{kind}-*.yml")
    return path


def jobs_of(path, step: str) -> list[str]:
    """The jobs of a step in a file, in their order."""
    return [name for name, job in yaml.safe_load(path.read_text()).items()
            if isinstance(job, dict) and job.get("variables", {}).get("STEP") == step]


def missing_in(gate: subprocess.CompletedProcess) -> set[str]:
    """The steps without a result, according to a gate that failed."""
    assert gate.returncode != 0
    return set(re.findall(r"`((?:build|test):\S+)` has no result", gate.stdout + gate.stderr))


def leave(path, names: list[str], first_line: str) -> None:
    """Removes the other jobs from a child, and lets each job begin with a line."""
    document = {name: job for name, job in yaml.safe_load(path.read_text()).items()
                if name == "stages" or name.startswith(".") or name in names}
    assert document.keys() >= set(names)
    document[".pinwheel-ci"]["before_script"].insert(0, first_line)
    path.write_text(yaml.safe_dump(document, sort_keys=False))


@pytest.mark.workflows
@pytest.mark.takes(90)
def test_the_results_of_children_reach_the_gate_of_their_parent(script, pipelines, tmp_path):
    """The children run a build, the next job of its chain, its test, and a build and a test that the store has. The
    store has the results of all other rows before."""
    builds, tests = (file_of(pipelines, kind) for kind in ("build", "test"))
    first, stored = (jobs_of(builds, f"build:{flavor}") for flavor in FLAVORS[:2])
    assert len(first) == len(stored) == 20
    children = {
        "pinwheel-ci-build-1": [*first[:2], stored[0]],
        "pinwheel-ci-test-1": [name for flavor in FLAVORS[:2] for name in jobs_of(tests, f"test:cp311-{flavor}")],
    }
    plan = f'"{pipelines.artifacts}"/pinwheel-ci*plan/.pinwheel-run'
    copy = f'test -n "$PARENT_PIPELINE_ID" && test "$CI_PIPELINE_SOURCE" = parent_pipeline && cp -r {plan} .'
    for path, names in zip((builds, tests), children.values()):
        leave(path, names, copy)
    script.commit()
    frozen = str(tmp_path / "plan.json")
    script.run("plan", "matrix.yaml", "--channel", "ci", "--out", frozen)
    others = [word for flavor in FLAVORS[1:] for word in ("--only", f"cp311-{flavor}")]
    script.run("test", "--plan", frozen, "--store", f"dir:{tmp_path / 'store'}", *others)
    early = pipelines.run("ci", "pinwheel-ci plan", "pinwheel-ci gate", **MERGE_REQUEST)
    assert missing_in(early) == {"build:f0", "test:cp311-f0"}

    ran = pipelines.run("ci", **MERGE_REQUEST)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    passed = {line.split("PASS")[1].strip() for line in ran.stdout.splitlines() if "PASS" in line}
    assert passed == {"pinwheel-ci plan", *children, "pinwheel-ci gate"} | {
        f"[{child}] -> {name}" for child, names in children.items() for name in names}
    for step in ("build:f0", "test:cp311-f0"):
        assert len(re.findall(rf"> done +{step} ", ran.stderr)) == 1, ran.stderr
    assert not re.search(r"> done +(build|test):\S*f1 ", ran.stderr), ran.stderr
    # The children ran for a merge request, so nothing else reads their results.
    store = ["--store", f"dir:{tmp_path / 'store'}"]
    assert missing_in(script.run("release", "--plan", frozen, "--reuse-only", "--gate", *store, code=5)) == {
        "build:f0", "test:cp311-f0"}


@pytest.mark.workflows
@pytest.mark.takes(60)
def test_another_reader_runs_jobs_of_children(script, pipelines, tmp_path):
    """gitlabci-local runs jobs in the checkout itself, which has the plan that the parent's job made there."""
    # It runs jobs in the directory of the file.
    files = {"parent": script.directory / ".gitlab" / "pinwheel-ci.yml",
             "build": file_of(pipelines, "build"), "test": file_of(pipelines, "test")}
    for name, path in files.items():
        (script.directory / f"{name}.yml").write_text(path.read_text())
    script.commit()

    def run(name: str, job: str) -> subprocess.CompletedProcess:
        source = EVENTS["ci"] if name == "parent" else {"CI_PIPELINE_SOURCE": "parent_pipeline"}
        variables = source | MERGE_REQUEST | {"CI_JOB_ID": "7", "CI_PROJECT_DIR": str(script.directory)}
        words = [word for pair in variables.items() for word in ("-e", "=".join(pair))]
        return subprocess.run(
            [GCIL, "-c", str(script.directory / f"{name}.yml"), "-H", "-R", *words, job],
            cwd=script.directory, env=pipelines.environment(), capture_output=True, text=True, timeout=600)

    for name, job in (("parent", "pinwheel-ci plan"), ("build", "pinwheel-ci build:f0"),
                      ("test", "pinwheel-ci test:cp311-f0")):
        ran = run(name, job)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"done +test:cp311-f0 ", ran.stdout + ran.stderr), ran.stdout + ran.stderr
    # The parent gets no artifacts of its children.
    shutil.rmtree(script.directory / ".pinwheel-run" / "in")
    assert missing_in(run("parent", "pinwheel-ci gate")) == {
        step for flavor in FLAVORS[1:] for step in (f"build:{flavor}", f"test:cp311-{flavor}")}
