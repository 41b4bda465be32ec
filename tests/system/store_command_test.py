"""`store why`, `store export` and `reproduce --store`: what a place has for a step, moved and used elsewhere."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import PYTHON, Project
from jobs import Jobs
from made_wheels import make_wheel
from reproduce_command_test import BROKEN, Failed
from stores import store

TEST = f"test:cp{PYTHON.replace('.', '')}-plain"


@pytest.fixture
def script(project):
    return project("script")


def why(project: Project, step: str, *arguments: str, **environment: str) -> dict:
    outcome = json.loads(store(project, "why", step, "--json", *arguments, **environment).stdout)
    assert outcome["schema"] == "pinwheel-store-why/1" and outcome["step"] == step
    return outcome


def forget_packages(place: pathlib.Path, result: pathlib.Path) -> None:
    """Removes the packages from the record of an entry."""
    action = json.loads(result.read_text())
    for file in action["outputFiles"]:
        blob = place / "cas" / file["digest"]["hash"]
        if not blob.read_bytes().startswith(b"{"):
            continue
        record = json.loads(blob.read_text())
        assert record.pop("packages")["spam"]["version"] == "1.0"
        text = (json.dumps(record, indent=1) + "\n").encode()
        digest = hashlib.sha256(text).hexdigest()
        (place / "cas" / digest).write_bytes(text)
        file["digest"] = {"hash": digest, "sizeBytes": str(len(text))}
    result.chmod(0o644)
    result.write_text(json.dumps(action))


class TestWhy:
    @pytest.fixture
    def place(self, script, tmp_path):
        """A directory with the results of a run, which this checkout has forgotten."""
        place = ["--store", f"dir:{tmp_path / 'shared'}"]
        script.run("test", "matrix.yaml", *place, GITHUB_RUN_ID="first-run")
        script.share_resolutions()
        script.start_afresh()
        return place

    def test_a_step_with_the_same_key_would_be_taken(self, script, place):
        for step in ("build:plain", TEST):
            outcome = why(script, step, "matrix.yaml", *place)
            assert outcome["answer"] == "taken" and outcome["differences"] == [] and outcome["unknown"] == []
            assert outcome["nearest"]["run"] == "first-run" and outcome["key"] == outcome["nearest"]["key"]
        assert script.starts() == {} and script.wheels() == {}

    def test_a_changed_variable_is_named_with_both_values(self, script, place):
        script.edit(lambda matrix: matrix["environment"]["variables"].update(SCRIPT_FLAVOR="now-{flavor}"))
        outcome = why(script, "build:plain", "matrix.yaml", *place)
        assert outcome["answer"] == "other-key"
        (variable,) = [one for one in outcome["differences"] if one["part"] == "variables.SCRIPT_FLAVOR"]
        assert variable == {"part": "variables.SCRIPT_FLAVOR", "stored": '"plain"', "here": '"now-plain"'}
        text = store(script, "why", "build:plain", "matrix.yaml", *place).stdout
        assert "variables.SCRIPT_FLAVOR: plain -> now-plain" in text and "`first-run`" in text
        # The test needs what the build makes, and that is not made yet.
        assert why(script, TEST, "matrix.yaml", *place)["unknown"] == ["build:plain"]
        script.run("build", "matrix.yaml")
        needs = why(script, TEST, "matrix.yaml", *place)
        assert "needs build:plain" in [one["part"] for one in needs["differences"]] and needs["unknown"] == []
        assert "`pinwheel store why build:plain`" in store(script, "why", TEST, "matrix.yaml", *place).stdout

    def test_of_an_environment_that_changed_the_packages_are_named(self, script, wheels, tmp_path):
        script.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
        script.edit(lambda matrix: matrix["environment"].update(pip=["spam"]))
        place = ["--store", f"dir:{tmp_path / 'shared'}"]
        script.run("build", "matrix.yaml", *place, GITHUB_RUN_ID="first-run")
        assert why(script, "build:plain", "matrix.yaml", *place)["packages"] == []
        # The same request, later, where there is a newer one that needs another.
        script.start_afresh()
        new = make_wheel(wheels, "spam", "1.1", requires=["eggs"])
        script.run("build", "matrix.yaml")
        outcome = why(script, "build:plain", "matrix.yaml", *place)
        (part,) = [one["part"] for one in outcome["differences"]]
        assert part.startswith("needs env:") and outcome["nearest"]["run"] == "first-run"
        assert [(one["name"], one["stored"], one["here"]) for one in outcome["packages"]] == [
            ("eggs", None, "2.0"),
            ("spam", "1.0", "1.1"),
        ]
        assert outcome["packages"][1]["here-sha256"] == hashlib.sha256(new.read_bytes()).hexdigest()
        text = store(script, "why", "build:plain", "matrix.yaml", *place).stdout
        assert f"  {part} changed\n    eggs 2.0 is new\n    spam: 1.0 -> 1.1\nnearest: " in text
        # A record that does not list packages is no entry.
        for result in (tmp_path / "shared" / "ac").iterdir():
            forget_packages(tmp_path / "shared", result)
        without = why(script, "build:plain", "matrix.yaml", *place)
        assert without["answer"] == "nothing" and without["nearest"] is None and without["packages"] == []

    def test_a_result_of_another_domain_or_without_its_files_is_distinguished(self, script, place, tmp_path):
        outcome = why(script, "build:plain", "matrix.yaml", *place, "--store-domain", "release")
        assert outcome["answer"] == "other-domain" and outcome["nearest"]["domain"] == "branch"
        for blob in (tmp_path / "shared" / "cas").iterdir():
            if blob.read_bytes()[:2] == b"PK":
                blob.unlink()
        assert why(script, "build:plain", "matrix.yaml", *place)["answer"] == "lacks-files"

    def test_a_place_without_such_results_says_so(self, script, tmp_path):
        script.run("build", "matrix.yaml")
        empty = ["--store", f"dir:{tmp_path / 'empty'}"]
        outcome = why(script, "build:plain", "matrix.yaml", *empty)
        assert outcome["answer"] == "nothing" and outcome["nearest"] is None
        assert not (tmp_path / "empty").exists()

    def test_for_a_frozen_plan_another_compiler_is_no_obstacle(self, script, tmp_path):
        jobs = Jobs(script, tmp_path / "jobs")
        other = tmp_path / "other"
        other.mkdir()
        (other / "c++").write_text("#!/bin/sh\necho 99.1.0\n")
        (other / "c++").chmod(0o755)
        built, _ = jobs.build("build:plain", PATH=f"{other}:{os.environ['PATH']}")
        job = jobs.job("ask", built.directory / "out")
        outcome = why(job, "build:plain", "--plan", "plan.json", "--store", "dir:in")
        assert outcome["answer"] == "handed-off"
        assert {one["part"] for one in outcome["differences"]} == {"toolchain"}
        assert job.starts() == {}

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["build:plian"], "build:plain"),
            (["publish:index"], "stores have no results"),
            (["build:plain", "build:loud"], "takes one step"),
            (["build:plain", "--store", "https://example.org/x"], "not on this machine"),
            (["build:plain", "--store-domain", "nonsense"], "`nonsense` is not a domain"),
        ],
    )
    def test_what_cannot_be_asked_is_refused(self, script, arguments, reason):
        script.run("build", "matrix.yaml")
        assert reason in store(script, "why", "matrix.yaml", *arguments, code=2).stderr


class TestExport:
    def test_results_that_no_plan_named_are_moved_for_the_plan_that_needs_them(self, script, tmp_path):
        # A run leaves results that the plan does not need; another makes everything that it does, without knowing it.
        place = ["--store", f"dir:{tmp_path / 'shared'}"]
        script.edit(lambda matrix: matrix["environment"]["variables"].update(MORE="1"))
        script.run("build", "matrix.yaml", *place)
        script.edit(lambda matrix: matrix["environment"]["variables"].pop("MORE"))
        script.run("test", "matrix.yaml", *place)
        jobs = Jobs(script, tmp_path / "jobs")
        job = jobs.job("export")
        outcome = json.loads(store(job, "export", "--plan", "plan.json", "carried", "--json", *place).stdout)
        assert outcome == {"schema": "pinwheel-store-export/1", "copied": 4, "there-already": 0, "missing": []}
        again = json.loads(store(job, "export", "--plan", "plan.json", "carried", "--json", *place).stdout)
        assert (again["copied"], again["there-already"]) == (0, 4)
        exported = job.directory / "carried"
        counted = json.loads(store(job, "stat", "--store", f"dir:{exported}", "--json").stdout)
        assert counted["results"] == {"branch": 4}
        # A job that has nothing but the plan and what was moved, and no compiler, needs nothing else.
        last = jobs.finish(exported)
        assert {state["state"] for step, state in last.published.items() if not step.startswith("publish:")} == {
            "reused"
        }

    def test_what_the_plan_lacks_is_named(self, script, tmp_path):
        jobs = Jobs(script, tmp_path / "jobs")
        built, _ = jobs.build("build:plain")
        job = jobs.job("export", built.directory / "out")
        ran = store(job, "export", "--plan", "plan.json", "carried", "--json", "--store", "dir:in")
        assert json.loads(ran.stdout)["missing"] == ["build:loud", TEST.replace("plain", "loud"), TEST]
        assert "`build:loud`" in ran.stderr
        other = jobs.job("other")
        none = store(other, "export", "--plan", "plan.json", "carried", "--store", "dir:nothing", code=5)
        assert "has no result of" in none.stderr and not (other.directory / "carried").exists()

    def test_results_below_the_domain_of_the_run_stay(self, script, tmp_path):
        jobs = Jobs(script, tmp_path / "jobs")
        built, _ = jobs.build("build:plain", PINWHEEL_STORE_DOMAIN="branch")
        job = jobs.job("export", built.directory / "out")
        export = ["export", "--plan", "plan.json", "carried", "--store", "dir:in"]
        store(job, *export, "--store-domain", "release", code=5)
        store(job, *export)


class TestReproduce:
    @pytest.fixture
    def failed(self, script, tmp_path):
        """A test that fails, after a build whose result is in a store."""
        check = script.directory / "tests" / "check.py"
        check.write_text(BROKEN + check.read_text())
        script.commit()
        script.run("build", "matrix.yaml", "--store", f"dir:{tmp_path / 'shared'}")
        script.start_afresh()
        return Failed(script, "test", "matrix.yaml", "--only", TEST.removeprefix("test:"), step=TEST)

    def test_what_the_step_needs_is_taken_and_the_step_itself_runs(self, failed, tmp_path):
        place = ["--store", f"dir:{tmp_path / 'shared'}"]
        other = failed.elsewhere()
        ran = other.run("reproduce", str(failed.report), *place, code=1)
        assert ran.stdout == f"{TEST}: failed (exit code 3)\n"
        assert "found 1 result in the store" in ran.stderr
        (journal,) = (other.state / "reproduce").glob(f"{TEST.replace(':', '-')}-*/journal.jsonl")
        started = [json.loads(line).get("started", {}).get("id") for line in journal.read_text().splitlines()]
        assert TEST in started and "build:plain" not in started

    def test_a_stored_result_is_not_used_for_the_step_and_none_is_stored(self, script, tmp_path):
        place = ["--store", f"dir:{tmp_path / 'shared'}"]
        script.run("test", "matrix.yaml", *place)
        before = sorted(path.name for path in (tmp_path / "shared").rglob("*"))
        script.start_afresh()
        ran = script.run("reproduce", TEST, "matrix.yaml", *place)
        assert ran.stdout == f"{TEST}: done\n"
        assert sorted(path.name for path in (tmp_path / "shared").rglob("*")) == before

    def test_a_wrong_place_or_domain_is_refused_before_anything_is_prepared(self, failed):
        other = failed.elsewhere()
        for arguments in (["--store", "nowhere"], ["--store-domain", "nonsense"]):
            refused = other.run("reproduce", str(failed.report), *arguments, code=2)
            assert "hint:" in refused.stderr
        assert not (other.state / "reproduce").exists()


@pytest.mark.parametrize("command", ["build", "test", "release"])
def test_a_wrong_domain_ends_a_run_before_anything_is_prepared(script, command, tmp_path):
    shutil.rmtree(script.state)
    cache = {"PINWHEEL_CACHE_DIR": str(tmp_path / "no-cache")}
    refused = script.run(command, "matrix.yaml", "--store-domain", "relaese", code=2, **cache)
    assert "`relaese` is not a domain" in refused.stderr and "`release`" in refused.stderr
    variable = script.run(command, "matrix.yaml", code=2, **cache, PINWHEEL_STORE_DOMAIN="nonsense")
    assert "PINWHEEL_STORE_DOMAIN" in variable.stderr
    script.edit(lambda matrix: matrix.update(store=["ftp://example.org"]))
    assert "`ftp://example.org` is not a place for results" in script.run(command, "matrix.yaml", code=2, **cache).stderr
    assert not script.state.exists() and not (tmp_path / "no-cache").exists()


def test_step_excludes_everything_else_that_selects(script):
    for other in (
        ["--only", TEST.removeprefix("test:")],
        ["--shard", "1/2"],
        ["-s", "flavor=plain"],
        ["--skip", "*loud"],
        ["--status", "supported"],
        ["*plain"],
    ):
        refused = script.run("build", "matrix.yaml", "--step", "build:plain", *other, code=2)
        assert "exclude each other" in refused.stderr and "hint:" in refused.stderr
    unknown = script.run("build", "matrix.yaml", "--step", "build:plian", code=2)
    assert "`build:plain`" in unknown.stderr
    assert script.starts() == {}


def test_a_frozen_plan_is_published_to_its_own_targets_alone(script, tmp_path):
    jobs = Jobs(script, tmp_path / "jobs")
    job = jobs.job("publish")
    refused = job.run("release", "--plan", "plan.json", "--target", "indx", code=2)
    assert "`indx`" in refused.stderr and "`index`" in refused.stderr
    assert job.starts() == {} and not job.index.exists()


class TestImport:
    @pytest.fixture
    def made(self, script, tmp_path):
        """A place with the results of two builds."""
        script.run("build", "matrix.yaml", "--store", f"dir:{tmp_path / 'made'}")
        return tmp_path / "made"

    @staticmethod
    def damage(place: pathlib.Path) -> pathlib.Path:
        """Changes a wheel of a place and keeps its size."""
        wheel = min(path for path in (place / "cas").iterdir() if path.read_bytes()[:2] == b"PK")
        wheel.chmod(0o644)
        wheel.write_bytes(b"XX" + wheel.read_bytes()[2:])
        return wheel

    def test_what_is_damaged_here_is_replaced(self, script, made, tmp_path):
        here = ["--store", f"dir:{tmp_path / 'here'}"]
        store(script, "import", str(made), *here)
        self.damage(tmp_path / "here")
        outcome = json.loads(store(script, "import", str(made), *here, "--json").stdout)
        assert (outcome["copied"], outcome["there-already"], outcome["damaged"]) == (1, 1, [])
        store(script, "verify", *here)

    def test_damaged_entries_do_not_prevent_the_rest(self, script, made, tmp_path):
        self.damage(made)
        here = ["--store", f"dir:{tmp_path / 'here'}"]
        ran = store(script, "import", str(made), *here, "--json", code=5)
        outcome = json.loads(ran.stdout)
        assert outcome["copied"] == 1 and len(outcome["damaged"]) == 1
        assert f"`{outcome['damaged'][0]}` has damaged or missing files" in ran.stderr and "hint:" in ran.stderr
        store(script, "verify", *here)

    def test_the_place_of_the_machine_is_durable(self, script, made, tmp_path):
        script.environment |= {"PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
        trace = tmp_path / "trace"
        command = ["strace", "-f", "-y", "-qq", "-e", "trace=fsync,rename", "-o", str(trace)]
        command += script.command("store", "import", str(made))
        subprocess.run(command, cwd=script.directory, env=script.environment, check=True, capture_output=True)
        calls = [line for line in trace.read_text().splitlines() if "/store/cas" in line]
        blobs = len(list((tmp_path / "cache/store/cas").iterdir()))
        # The file before it has its name, then the directory.
        for before, name, after in zip(calls[::3], calls[1::3], calls[2::3], strict=True):
            assert "fsync(" in before and "rename(" in name and "fsync(" in after
        assert len(calls) == 3 * blobs > 0


def test_a_place_that_is_not_there_is_not_verified(script, tmp_path):
    (tmp_path / "file").touch()
    for missing in (tmp_path / "nosuch", tmp_path / "file"):
        assert f"`{missing}` is not a directory" in store(script, "verify", "--store", f"dir:{missing}", code=2).stderr
    store(script, "verify", PINWHEEL_CACHE_DIR=str(tmp_path / "no-cache"))


def test_what_was_exported_into_a_checkout_is_no_source(script, tmp_path):
    jobs = Jobs(script, tmp_path / "jobs")
    built, _ = jobs.build("build:plain")
    job = jobs.job("export", built.directory / "out")
    store(job, "export", "--plan", "plan.json", "carried", "--store", "dir:in")
    # Another clone with what the first has; no option names it.
    (job.directory / "in").rename(tmp_path / "in")
    report = job.report("build", "--plan", "plan.json", "--step", "build:plain", "--store", f"dir:{tmp_path / 'in'}")
    assert report["build:plain"]["state"] == "reused"
