"""`--changed-since`: a change runs the steps whose keys differ from those of a commit's results, and says why."""

import json
import shutil

import pytest
import yaml
from conftest import PYTHON
from made_wheels import make_wheel

TAG = "cp" + PYTHON.replace(".", "")
BUILDS = ["build:loud", "build:plain"]
TESTS = [f"test:{TAG}-loud", f"test:{TAG}-plain"]
TRIED = ["pinwheel.yaml", "--channel", "ci"]


class History:
    """A project whose first commit has results, and later commits with one change each."""

    def __init__(self, script):
        self.script = script
        script.git("mv", "matrix.yaml", "pinwheel.yaml")
        self.write("README.md", "one\n")
        self.write("VERSION", "1.2.0\n")
        self.edit(lambda matrix: matrix["package"].update(version={"from": "file", "file": "VERSION"}))

    def write(self, name: str, text: str) -> None:
        (self.script.directory / name).write_text(text)

    def append(self, name: str, text: str) -> None:
        with (self.script.directory / name).open("a") as file:
            file.write(text)

    def edit(self, change) -> str:
        """Changes the matrix and commits."""
        path = self.script.directory / "pinwheel.yaml"
        matrix = yaml.safe_load(path.read_text())
        change(matrix)
        path.write_text(yaml.safe_dump(matrix, sort_keys=False))
        return self.commit()

    def commit(self) -> str:
        self.script.git("add", "-A")
        self.script.git("commit", "-q", "-m", "change")
        return self.script.git("rev-parse", "HEAD").strip()

    def since(self, revision: str, *options: str, **environment: str) -> dict[str, list[str] | str]:
        """step -> "unchanged", or the reasons why it runs."""
        ran = self.script.run("plan", *TRIED, *options, "--changed-since", revision, "--json", **environment)
        plan = json.loads(ran.stdout)
        found = plan["changed-since"]
        assert found["rev"] == revision and len(found["commit"]) == 40
        steps = {step["id"]: step["reasons"] or step["state"] for step in found["steps"]}
        affected = {step.partition(":")[2] for step, state in steps.items() if state != "unchanged" and step != "sdist"}
        chosen = {variant["id"] for variant in plan["variants"]}
        assert chosen == {f"{TAG}-{flavor}" for flavor in ("loud", "plain") if {flavor, f"{TAG}-{flavor}"} & affected}
        return steps


@pytest.fixture
def history(project):
    return History(project("script"))


def running(steps: dict) -> list[str]:
    return sorted(step for step, state in steps.items() if state != "unchanged" and step != "sdist")


@pytest.mark.takes(15)
def test_a_change_runs_what_it_affects_and_nothing_else(history):
    script = history.script
    base = script.git("rev-parse", "HEAD").strip()
    script.report("test", *TRIED)
    before = script.starts()

    history.append("README.md", "two\n")
    history.commit()
    assert set(history.since(base).values()) == {"unchanged"}
    ran = script.run("test", *TRIED, "--changed-since", base)
    assert f"nothing changed since `{base}`" in ran.stderr
    assert script.report("test", *TRIED, "--changed-since", base) == {}
    assert script.starts() == before
    assert script.run("plan", *TRIED, "--changed-since", base, "--format", "ids").stdout == ""
    rows = script.run("plan", *TRIED, "--changed-since", base, "--format", "github").stdout
    assert json.loads(rows) == {"include": []}
    frozen = script.run("plan", *TRIED, "--changed-since", base, "--out", "../plan.json", code=3)
    assert "nothing changed since" in frozen.stderr

    history.append("tests/check.py", "# more\n")
    history.commit()
    steps = history.since(base)
    assert running(steps) == TESTS
    assert steps[TESTS[0]] == ["source changed (2 files: README.md, tests/check.py)"]
    report = script.report("test", *TRIED, "--changed-since", base)
    assert {step: report[step]["state"] for step in BUILDS + TESTS} == dict.fromkeys(BUILDS, "reused") | dict.fromkeys(TESTS, "done")

    history.append("make_wheel.py", "# more\n")
    history.commit()
    steps = history.since(base)
    assert running(steps) == BUILDS + TESTS
    assert steps["build:loud"] == ["source changed (1 file: make_wheel.py)"]
    assert steps[TESTS[0]][0] == "`build:loud` changed"
    table = script.run("plan", *TRIED, "--changed-since", base).stdout
    assert f"changed since `{base}` ({base[:12]})" in table
    assert "2 builds" in table and "source changed (1 file: make_wheel.py)" in table
    report = script.report("build", *TRIED, "--changed-since", base)
    assert {report[step]["state"] for step in BUILDS} == {"done"} and not set(TESTS) & set(report)


@pytest.mark.takes(10)
def test_a_change_of_the_matrix_runs_the_variants_that_it_affects(history):
    script = history.script
    script.report("test", *TRIED)
    base = script.git("rev-parse", "HEAD").strip()
    history.edit(lambda matrix: matrix.update(
        overrides=[{"when": {"flavor": "loud"}, "environment": {"variables": {"EXTRA": "1"}}}]))
    steps = history.since("HEAD~1")
    assert running(steps) == ["build:loud", TESTS[0]]
    assert "variables.EXTRA is new" in steps["build:loud"]
    assert history.since("HEAD~1", "--skip", "*-loud").get("build:loud") is None
    # Variables of the caller decide the keys of both sides, so other ones have no results.
    other = script.run("plan", *TRIED, "--changed-since", base, code=5, CXXFLAGS="-O3")
    assert "with the variables and the compiler of this run" in other.stderr
    # A variant that the other commit lacks has no result there.
    history.edit(lambda matrix: matrix["axes"].update(flavor=["plain", "loud", "quiet"]))
    plan = json.loads(script.run("plan", *TRIED, "--changed-since", base, "--json").stdout)
    found = {step["id"]: step for step in plan["changed-since"]["steps"]}
    assert found["build:quiet"]["state"] == "no-result"
    assert found["build:quiet"]["reasons"] == [f"`{base}` has no such step"]


@pytest.mark.takes(10)
def test_a_package_of_a_lock_runs_what_uses_it(project, wheels):
    script = project("script")
    script.resolutions = script.directory.parent / "resolutions"
    script.start_afresh()
    script.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    history = History(script)
    history.edit(lambda matrix: matrix["environment"].update(pip=["spam"]))
    script.run("env", "lock", "pinwheel.yaml")
    base = history.commit()
    script.report("test", *TRIED)
    make_wheel(wheels, "spam", "1.1")
    script.run("env", "lock", "pinwheel.yaml", "--refresh")
    history.commit()
    steps = history.since(base)
    assert "build:plain" in running(steps)
    assert steps["build:plain"] == ["package spam: 1.0 -> 1.1"]


@pytest.mark.takes(10)
def test_results_in_a_store_are_enough_and_a_version_of_git_is_no_change(project, tmp_path):
    script = project("script")
    script.git("mv", "matrix.yaml", "pinwheel.yaml")
    script.git("commit", "-q", "-m", "move")
    store = f"dir:{tmp_path / 'store'}"
    script.report("test", *TRIED, "--store", store)
    base = script.git("rev-parse", "HEAD").strip()
    (script.directory / "README.md").write_text("new\n")
    script.git("add", "-A")
    script.git("commit", "-q", "-m", "change")
    script.start_afresh()
    missing = script.run("plan", *TRIED, "--changed-since", base, code=5)
    assert f"no step of `{base}` ({base[:12]}) has a result" in missing.stderr
    assert "--store" in missing.stderr and "pinwheel test" in missing.stderr
    found = script.run("plan", *TRIED, "--changed-since", base, "--store", store)
    assert found.stdout.startswith(f"nothing changed since `{base}` ({base[:12]}): ")
    assert not list((script.state / "changed-since").glob("checkout*"))
    assert script.git("worktree", "list").count("\n") == 1


def test_commits_that_cannot_be_compared_are_errors_with_a_hint(history, tmp_path):
    script = history.script
    unknown = script.run("plan", *TRIED, "--changed-since", "no-such-branch", code=2)
    assert "has no commit `no-such-branch`" in unknown.stderr and "git fetch origin no-such-branch" in unknown.stderr
    first = script.git("rev-list", "--max-parents=0", "HEAD").strip()
    without = script.run("plan", *TRIED, "--changed-since", first, code=2)
    assert f"`{first}` has no file `pinwheel.yaml`" in without.stderr
    both = script.run("test", *TRIED, "--changed-since", "HEAD", "--step", "build:loud", code=2)
    assert "--step" in both.stderr
    clone = tmp_path / "clone"
    script.git("clone", "-q", "--depth", "1", f"file://{script.directory}", str(clone))
    shutil.rmtree(script.directory)
    clone.rename(script.directory)
    shallow = script.run("plan", *TRIED, "--changed-since", "HEAD", code=4)
    assert "shallow clone" in shallow.stderr and "git fetch --unshallow" in shallow.stderr
