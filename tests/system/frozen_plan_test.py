"""Frozen plans: their variants and targets, and the command that does a failed step again."""

import json
import shlex

import pytest
from conftest import PYTHON

TAG = "cp" + PYTHON.replace(".", "")


@pytest.fixture
def script(project):
    return project("script")


class TestVariantsOfAPlan:
    """The frozen plan is built, shown and gated exactly, or the exit code reports the difference."""

    def test_a_status_that_only_the_freezing_asked_for_needs_no_repeating(self, script):
        rule = {"when": {"flavor": "loud"}, "status": "unmaintained", "because": "few use it"}
        script.edit(lambda matrix: matrix.update(rules=[rule]))
        script.run("plan", "matrix.yaml", "--status", "supported,experimental,unmaintained", "--out", "plan.json")
        frozen = json.loads((script.directory / "plan.json").read_text())
        assert frozen["variants"] == [f"{TAG}-{flavor}" for flavor in ("plain", "loud")]
        rows = json.loads(script.run("plan", "--plan", "plan.json", "--format", "github", "--stage", "build").stdout)
        assert {row["step"] for row in rows["include"]} == {"build:plain", "build:loud"}
        ids = script.run("plan", "--plan", "plan.json", "--format", "ids").stdout.split()
        assert ids == frozen["variants"]
        one = script.report("build", "--plan", "plan.json", "--step", "build:loud")
        assert one["build:loud"]["state"] == "done" and "build:plain" not in one
        loud, plain = f"test:{TAG}-loud", f"test:{TAG}-plain"
        script.run("test", "--plan", "plan.json", "--step", plain)
        refused = script.run("release", "--plan", "plan.json", "--reuse-only", "--gate", code=5)
        assert f"`{loud}` has no result" in refused.stderr

    def test_a_selection_with_nothing_of_the_plan_selects_nothing(self, script):
        script.run("plan", "matrix.yaml", "-s", "flavor=plain", "--out", "one.json")
        loud = f"{TAG}-loud"
        for selection in (["-s", "flavor=loud"], ["--only", loud], ["*-loud"], ["--shard", "2/2"]):
            for command in ("build", "release"):
                refused = script.run(command, "--plan", "one.json", *selection, code=3)
                assert "hint:" in refused.stderr and "experimental" not in refused.stderr
        script.run("build", "--plan", "one.json", "-s", "flavor=loud", "--allow-empty")
        assert script.starts() == {}

    def test_a_variant_that_the_matrix_lost_is_drift_wherever_it_is_asked_for(self, script):
        script.run("plan", "matrix.yaml", "--out", "plan.json")
        script.edit(lambda matrix: matrix["axes"].update(flavor=["loud"]))
        plain = f"{TAG}-plain"
        for command in (["build"], *(["plan", "--format", name] for name in ("github", "ids", "table"))):
            refused = script.run(*command, "--plan", "plan.json", code=7)
            assert f"the plan has the variant `{plain}`" in refused.stderr and refused.stdout == ""


class TestTargetsNamedTwice:
    """Each ends at once; the time limit only ends a run that would wait for ever."""

    def test_on_the_command_line_it_is_one_target(self, script):
        script.patience = 120
        report = script.report("release", "matrix.yaml", "--target", "index", "--target", "index")
        assert report["publish:index"]["state"] == "done"
        assert script.starts()["publish:index"] == 1

    def test_with_a_frozen_plan_too(self, script):
        script.patience = 120
        script.run("plan", "matrix.yaml", "--out", "plan.json")
        report = script.report("release", "--plan", "plan.json", "--target", "index", "--target", "index")
        assert report["publish:index"]["state"] == "done"

    def test_in_a_channel_or_a_frozen_plan_it_is_a_mistake(self, script):
        script.patience = 120
        script.run("plan", "matrix.yaml", "--out", "plan.json")
        plan = script.directory / "plan.json"
        plan.write_text(json.dumps(json.loads(plan.read_text()) | {"targets": ["index", "index"]}))
        refused = script.run("release", "--plan", "plan.json", code=2)
        assert "target `index` is listed twice" in refused.stderr
        plan.unlink()
        script.edit(lambda matrix: matrix["channels"]["ci"].update(publish=["index", "index"]))
        refused = script.run("release", "matrix.yaml", code=2)
        assert "channel `ci` lists `index` twice" in refused.stderr
        assert script.starts() == {}


def test_the_command_that_repeats_a_publication_publishes_no_more_than_the_first(script):
    blocked = script.directory.parent / "blocked"
    blocked.write_text("")
    testing = {"kind": "directory", "path": "../blocked/index", "label": "local"}
    script.edit(lambda matrix: matrix["publish"].update(testing=testing))
    script.edit(lambda matrix: matrix["channels"]["release"].update(publish=["index", "testing"]))
    script.run("plan", "matrix.yaml", "--out", "plan.json")
    script.run("test", "--plan", "plan.json", "--store", "dir:a store")
    given = ["release", "--plan", "plan.json", "--store", "dir:a store", "--reuse-only", "--target", "testing"]
    failed = script.run(*given, code=4)
    (again,) = [line for line in failed.stderr.splitlines() if "run this step again: " in line]
    words = shlex.split(again.partition("run this step again: ")[2])
    assert words == ["pinwheel", *script.command(*given)[1:]]
    repeated = script.run(*words[1 : 1 + len(given)], code=4)
    assert "publish:testing" in repeated.stderr
    assert not script.index.exists()
    assert "publish:index" not in script.starts()
