"""One release over many jobs: each step on its own machine, with results passed in directories."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import socket

import pytest
from conftest import digests, outcomes_of
from jobs import Jobs, comparable, comparable_run

REUSE = ["--plan", "plan.json", "--store", "dir:in", "--reuse-only"]


@pytest.fixture
def script(project):
    return project("script")


@pytest.fixture
def jobs(script, tmp_path):
    return Jobs(script, tmp_path / "jobs")


def fake_compiler(place: pathlib.Path, text: str) -> dict[str, str]:
    """Variables with a `c++` that prints this version, or without one."""
    place.mkdir()
    compiler = place / "c++"
    compiler.write_text(f"#!/bin/sh\n{text}\n")
    compiler.chmod(0o755)
    return {"PATH": f"{place}:{os.environ['PATH']}"}


@pytest.mark.takes(20)
def test_many_jobs_publish_the_bytes_of_one_machine(script, jobs):
    jobs.own_caches = True
    whole_run = script.whole_report("release", "matrix.yaml")
    one = outcomes_of(whole_run)
    outcomes, artifacts = jobs.make_all()
    last = jobs.finish(*artifacts)
    assert digests(last.index) == digests(script.index)
    assert last.wheels() == script.wheels()
    outcomes |= {"publish:index": last.published["publish:index"]}
    assert {step: comparable(outcome) for step, outcome in outcomes.items()} == {
        step: comparable(outcome) for step, outcome in one.items()
    }
    assert comparable_run(last.whole_run) == comparable_run(whole_run)
    # A job prepares only the steps that it runs.
    assert [step for step in last.published if step.startswith("env:")] == []
    assert last.starts() == {"publish:index": 1}


def test_a_job_needs_no_compiler_for_what_it_does_not_build(script, jobs, tmp_path):
    other = fake_compiler(tmp_path / "other", "echo 99.1.0")
    none = fake_compiler(tmp_path / "none", "exit 127")
    artifacts = []
    for row in jobs.rows("build"):
        job, report = jobs.build(row["step"], **other)
        assert report[row["step"]]["state"] == "done"
        artifacts.append(job.directory / "out")
    for row in jobs.rows("test"):
        job, report = jobs.test(row["step"], *artifacts, **none)
        assert {step: report[step]["state"] for step in (*row["needs"], row["step"])} == {
            row["needs"][0]: "reused",
            row["step"]: "done",
        }
        artifacts.append(job.directory / "out")
    last = jobs.finish(*artifacts)
    records = [path.read_text() for path in (last.directory / "in").rglob("*") if path.is_file() and is_text(path)]
    assert any('"99.1.0"' in text for text in records)


def is_text(path: pathlib.Path) -> bool:
    return b"\0" not in path.read_bytes()[:512]


def test_what_is_missing_is_named_with_where_it_was_looked_for(jobs):
    first, report = jobs.build("build:plain")
    job = jobs.job("gate", first.directory / "out")
    refused = job.run("release", *REUSE, "--gate", code=5)
    for step in ("build:loud", "test:cp311-plain", "test:cp311-loud"):
        assert f"`{step}` has no result in" in refused.stderr.replace(script_python(), "cp311")
    assert "`build:plain`" not in refused.stderr and "dir:" in refused.stderr and "hint:" in refused.stderr
    assert re.search(r"hint: `pinwheel build --plan \S+ .*--step build:loud`", refused.stderr)
    again = job.run("release", *REUSE, "--target", "index", code=5)
    assert "`build:loud`" in again.stderr
    assert not job.index.exists() and job.starts() == {}
    nothing = jobs.job("test").run("test", *REUSE, "--step", f"test:{script_python()}-plain", code=5)
    assert "`build:plain` has no result in" in nothing.stderr and "`test:" not in nothing.stderr


def script_python() -> str:
    from conftest import PYTHON

    return "cp" + PYTHON.replace(".", "")


def test_a_damaged_artifact_is_missing(jobs):
    built, report = jobs.build("build:plain")
    (wheel,) = [each["sha256"] for each in report["build:plain"]["outputs"]]
    job = jobs.job("test", built.directory / "out")
    for path in (job.directory / "in").rglob("*"):
        if path.is_file() and path.name == wheel:
            path.chmod(0o644)
            path.write_bytes(path.read_bytes()[:-1] + b"x")
    refused = job.run("test", *REUSE, "--step", f"test:{script_python()}-plain", code=5)
    assert "`build:plain` has no result in" in refused.stderr
    assert "the store `dir:in` could not be read" in refused.stderr and wheel in refused.stderr
    assert job.wheels() == {}


def test_a_failed_place_is_named_with_the_missing_results(jobs):
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))  # nobody listens
        place = f"http://127.0.0.1:{dead.getsockname()[1]}/results"
        reuse = ["--plan", "plan.json", "--store", place, "--reuse-only"]
        for asked in (["release", *reuse, "--gate"], ["release", *reuse, "--target", "index"], ["test", *reuse]):
            refused = jobs.job("asks").run(*asked, code=5).stderr
            fault, missing = f"the store `{place}` could not be read: ", "`build:plain` has no result in"
            assert fault in refused and missing in refused
            assert refused.index(fault) < refused.index(missing)
            assert f"the store `{place}` is not read any more in this run" in refused


class TestEvidence:
    @pytest.fixture
    def skipping(self, script, tmp_path):
        """Tests that need a GPU, which a machine without one can only import."""
        if shutil.which("nvidia-smi"):
            pytest.skip("there is a GPU")
        # Without a runner that has one, such a test has no job.
        placed = [{"flavor": flavor, "runner": "gpu-machine"} for flavor in ("plain", "loud")]
        script.edit(lambda matrix: matrix["test"].update(hardware="gpu"))
        script.edit(lambda matrix: matrix.update(attributes=["runner"], include=placed))
        return Jobs(script, tmp_path / "jobs")

    def test_evidence_of_a_skipped_test_is_shared_and_may_be_too_weak(self, skipping):
        _, artifacts = skipping.make_all()
        job = skipping.job("gate", *artifacts)
        refused = job.run("release", *REUSE, "--gate", code=5)
        assert refused.stderr.count("has evidence `loaded`, `ran` is required (skipped: no GPU here") == 2
        published = job.run("release", *REUSE, "--target", "index", code=5)
        assert "evidence" in published.stderr and not job.index.exists()
        accepted = [f"--accept={script_python()}-{flavor}=seen elsewhere" for flavor in ("plain", "loud")]
        job.run("release", *REUSE, "--gate", *accepted)

    def test_a_job_fails_by_itself_where_its_evidence_is_too_little(self, skipping):
        (build, *_) = (row["step"] for row in skipping.rows("build"))
        built, _ = skipping.build(build)
        (row,) = (row for row in skipping.rows("test") if row["needs"] == [build])
        job = skipping.job("test", built.directory / "out")
        refused = job.run("test", *REUSE, "--step", row["step"], "--gate", code=5)
        assert f"`{row['step']}` has evidence `loaded`, `ran` is required" in refused.stderr
        missing = skipping.job("test").run("test", *REUSE, "--step", row["step"], "--gate", code=5)
        assert "has no result in" in missing.stderr and "has evidence" not in missing.stderr
        enough = skipping.job("test", built.directory / "out")
        assert "`--accept" not in enough.run("test", *REUSE, "--step", row["step"]).stderr

    def test_a_test_that_only_imports_gets_a_hint_which_line_the_matrix_lacks(self, script, tmp_path):
        script.edit(lambda matrix: matrix["test"].pop("command"))
        jobs = Jobs(script, tmp_path / "jobs")
        built, _ = jobs.build("build:plain")
        job = jobs.job("test", built.directory / "out")
        refused = job.run("test", *REUSE, "--step", f"test:{script_python()}-plain", "--gate", code=5)
        assert "has evidence `loaded`, `ran` is required (the wheel was imported: the matrix has no" in refused.stderr
        assert "hint: give the matrix a `test.command`" in refused.stderr and "hardware" not in refused.stderr

    def test_a_test_without_a_runner_has_no_job_and_the_gate_says_so(self, script, tmp_path):
        script.edit(lambda matrix: matrix["test"].update(hardware={"default": "gpu"}))
        jobs = Jobs(script, tmp_path / "jobs")
        assert jobs.rows("test") == []
        artifacts = [jobs.build(row["step"])[0].directory / "out" for row in jobs.rows("build")]
        gate = jobs.job("gate", *artifacts)
        refused = gate.run("release", *REUSE, "--gate", code=5)
        assert refused.stderr.count("has evidence `none`, `ran` is required (skipped: no job of a workflow runs it") == 2
        accepted = [f"--accept={script_python()}-{flavor}=seen elsewhere" for flavor in ("plain", "loud")]
        gate.run("release", *REUSE, "--gate", *accepted)
        gate.run("release", *REUSE, "--target", "index", code=5)
        assert not gate.index.exists()

    def test_a_test_without_a_runner_stops_nothing_where_no_evidence_is_required(self, script, tmp_path):
        script.edit(lambda matrix: matrix["test"].update(hardware={"default": "gpu"}))
        script.edit(lambda matrix: matrix["publish"].update(require="none"))
        jobs = Jobs(script, tmp_path / "jobs")
        artifacts = [jobs.build(row["step"])[0].directory / "out" for row in jobs.rows("build")]
        passed = jobs.job("gate", *artifacts).run("release", *REUSE, "--gate", "--store", "dir:kept")
        named = [line for line in passed.stderr.splitlines() if line.startswith("skipped     test:")]
        assert len(named) == 2 and all("`ci.runners.test` names no runner for it" in line for line in named)
        last = jobs.finish(*artifacts)
        assert last.published[f"test:{script_python()}-plain"]["state"] == "skipped"
        assert len(last.wheels()) == 2
        assert [step for step in last.published if step.startswith("env:")] == []
        # That no job ran it is no result, which another run could find.
        stored = [path.read_text() for path in (tmp_path / "jobs").rglob("cas/*") if b'"step"' in path.read_bytes()[:4096]]
        assert stored and not any("names no runner" in text for text in stored)

    def test_it_is_enough_where_no_more_is_required(self, script, skipping, tmp_path):
        script.edit(lambda matrix: matrix["publish"].update(require="loaded"))
        jobs = Jobs(script, tmp_path / "again")
        _, artifacts = jobs.make_all()
        last = jobs.finish(*artifacts)
        assert last.published[f"test:{script_python()}-plain"]["state"] == "skipped"

    def test_a_finished_test_counts_wherever_the_skipped_one_is(self, skipping, tmp_path):
        _, artifacts = skipping.make_all()
        tools = tmp_path / "tools"
        tools.mkdir()
        (tools / "nvidia-smi").write_text("#!/bin/sh\necho NVIDIA L4, 550.54.15\n")
        (tools / "nvidia-smi").chmod(0o755)
        gpu = skipping.job("gpu", *artifacts)
        asked = ["--plan", "plan.json", "--store", "dir:in,ro", "--store", "dir:ran", "--reuse-only"]
        ran = gpu.report("test", *asked, PATH=f"{tools}:{os.environ['PATH']}")
        assert {each["evidence"] for step, each in ran.items() if step.startswith("test:")} == {"ran"}
        places = [f"--store=dir:{gpu.directory / name},ro" for name in ("in", "ran")]
        for order in (places, places[::-1]):
            gate = ["release", "--plan", "plan.json", *order, "--reuse-only", "--gate"]
            assert "nothing was published" in skipping.job("gate").run(*gate).stderr
            again = skipping.job("again").report("test", "--plan", "plan.json", *order)
            assert {outcome["state"] for outcome in again.values()} == {"reused"}

    def test_a_test_that_is_asked_for_runs_again(self, skipping):
        _, artifacts = skipping.make_all()
        job = skipping.job("test", *artifacts)
        report = job.report("test", *REUSE)
        tests = [outcome for step, outcome in report.items() if step.startswith("test:")]
        assert [(each["state"], each["attempts"]) for each in tests] == [("skipped", 1)] * 2


def claim_to_be_a_release(place: pathlib.Path, forged: pathlib.Path) -> None:
    """Copies the results of a place, each as if a release had written it, at the addresses of a release."""
    shutil.copytree(place, forged)
    shutil.rmtree(forged / "ac")
    for result in (place / "ac").iterdir():
        action = json.loads(result.read_text())
        (file,) = (each for each in action["outputFiles"] if is_record(place / "cas" / each["digest"]["hash"]))
        record = json.loads((place / "cas" / file["digest"]["hash"]).read_text())
        record["writer"]["domain"] = "release"
        text = json.dumps(record).encode()
        digest = hashlib.sha256(text).hexdigest()
        (forged / "cas" / digest).write_bytes(text)
        file["digest"] = {"hash": digest, "sizeBytes": str(len(text))}
        for parts in (
            ("pinwheel-result/1", "release", record["key"]),
            ("pinwheel-hand-off/1", "release", record["plan"], record["step"]),
        ):
            address = forged / "ac" / hashlib.sha256("".join(f"{part}\n" for part in parts).encode()).hexdigest()
            address.parent.mkdir(exist_ok=True)
            address.write_text(json.dumps(action))


def is_record(blob: pathlib.Path) -> bool:
    return b'"pinwheel-result/1"' in blob.read_bytes()[:512]


class TestDomains:
    @pytest.fixture
    def poisoned(self, script, tmp_path):
        """A shared store in which the event of a pull request left other bytes under the keys of a release."""
        (tmp_path / "word.txt").write_text("good\n")
        word = ["--tag", "py3-none-linux_x86_64", "--file", str(tmp_path / "word.txt")]
        script.edit(lambda matrix: matrix["build"]["command"].extend(word))
        self.jobs = Jobs(script, tmp_path / "jobs")
        self.store = ["--store", f"dir:{tmp_path / 'shared'}"]
        self.clean = self.jobs.job("clean")
        self.clean.run("release", "--plan", "plan.json")
        (tmp_path / "word.txt").write_text("evil\n")
        self.request = {"GITHUB_EVENT_NAME": "pull_request"}
        self.jobs.job("request").report("test", "--plan", "plan.json", *self.store, **self.request)
        (tmp_path / "word.txt").write_text("good\n")
        return self

    def test_what_a_pull_request_wrote_changes_nothing_that_is_published(self, poisoned):
        # It is there, for pull requests.
        request = poisoned.jobs.job("again").report("test", "--plan", "plan.json", *poisoned.store, **poisoned.request)
        assert {outcome["state"] for step, outcome in request.items()} == {"reused"}
        job = poisoned.jobs.job("release")
        outcomes = job.report("release", "--plan", "plan.json", *poisoned.store, PINWHEEL_STORE_DOMAIN="release")
        assert outcomes["build:plain"]["state"] == "done"
        assert digests(job.index) == digests(poisoned.clean.index)
        gate = poisoned.jobs.job("gate")
        reuse = ["release", "--plan", "plan.json", *poisoned.store, "--reuse-only"]
        refused = gate.run(*reuse, "--store-domain", "nonsense", code=2)
        assert "`nonsense`" in refused.stderr
        gate.run(*reuse, "--gate", "--store-domain", "release")
        # A branch reads what a release wrote.
        branch = poisoned.jobs.job("branch").report("build", "--plan", "plan.json", *poisoned.store)
        assert {outcome["state"] for outcome in branch.values()} == {"reused"}

    def test_what_only_claims_to_be_of_a_release_reaches_no_run_that_does_not_read_it(self, poisoned, tmp_path):
        claim_to_be_a_release(tmp_path / "shared", tmp_path / "forged")
        machine = {"PINWHEEL_CACHE_DIR": str(tmp_path / "machine")}
        local = ["--plan", "plan.json", "--store", "local"]
        forged = ["--store", f"dir:{tmp_path / 'forged'},ro"]
        for own in (poisoned.request, {}):
            read = poisoned.jobs.job("reads").report("test", *local, *forged, **own, **machine)
            assert {outcome["state"] for outcome in read.values()} == {"reused"}
        job = poisoned.jobs.job("release")
        outcomes = job.report("release", *local, "--store-domain", "release", **machine)
        assert outcomes["build:plain"]["state"] == outcomes["build:loud"]["state"] == "done"
        assert digests(job.index) == digests(poisoned.clean.index)

    def test_a_release_takes_nothing_from_a_pull_request_in_the_same_checkout(self, poisoned, tmp_path):
        word, place = tmp_path / "word.txt", ["--plan", "plan.json", "--store", f"dir:{tmp_path / 'late'}"]
        job = poisoned.jobs.job("checkout")
        word.write_text("evil\n")
        job.report("test", "--plan", "plan.json", **poisoned.request)
        word.write_text("good\n")
        outcomes = job.report("release", *place, PINWHEEL_STORE_DOMAIN="release")
        assert outcomes["build:plain"]["state"] == outcomes["build:loud"]["state"] == "done"
        assert digests(job.index) == digests(poisoned.clean.index)
        # Neither does another machine get it, while all runs here use what the release made.
        for run in (poisoned.jobs.job("elsewhere"), job):
            build = ["build", *place, "--store-domain", "release"]
            assert {outcome["state"] for outcome in run.report(*build).values()} == {"reused"}
            assert run.wheels() == poisoned.clean.wheels()
        assert {each["state"] for each in job.report("test", "--plan", "plan.json").values()} == {"reused"}

    def test_a_pull_request_has_no_other_domain(self, poisoned):
        job = poisoned.jobs.job("request")
        for domain in ("branch", "release"):
            refused = job.run(
                "build", "--plan", "plan.json", *poisoned.store, "--store-domain", domain, code=2, **poisoned.request
            )
            assert domain in refused.stderr and "hint:" in refused.stderr
        assert job.starts() == {}


def test_the_matrix_names_places_which_a_pull_request_only_reads(script, tmp_path):
    place = tmp_path / "shared"
    script.edit(lambda matrix: matrix.update(store=[f"dir:{place}"]))
    jobs = Jobs(script, tmp_path / "jobs")
    request = {"GITHUB_EVENT_NAME": "pull_request"}
    jobs.job("request").run("build", "--plan", "plan.json", **request)
    assert not place.exists() or not [path for path in place.rglob("*") if path.is_file()]
    jobs.job("branch").run("build", "--plan", "plan.json")
    again = jobs.job("request").report("build", "--plan", "plan.json", **request)
    assert {outcome["state"] for outcome in again.values()} == {"reused"}
    script.edit(lambda matrix: matrix.update(store=["ftp://example.org"]))
    refused = script.run("build", "matrix.yaml", code=2)
    assert "`ftp://example.org` is not a place for results" in refused.stderr and "--> matrix.yaml:" in refused.stderr


def test_a_later_run_without_a_plan_finds_results_by_their_keys(script, tmp_path):
    store = ["--store", f"dir:{tmp_path / 'shared'}"]
    first = script.report("test", "matrix.yaml", *store)
    assert {outcome["state"] for outcome in first.values()} == {"done"}
    wheels = script.wheels()
    script.start_afresh()
    again = script.report("test", "matrix.yaml", *store)
    assert {outcome["state"] for outcome in again.values()} == {"reused"}
    assert [step for step in again if step.startswith("env:")] == []
    assert script.wheels() == wheels and script.starts() == {}
    script.edit(lambda matrix: matrix["environment"]["variables"].update(MORE="1"))
    changed = script.report("test", "matrix.yaml", *store)
    assert {outcome["state"] for step, outcome in changed.items()} == {"done"}


def test_results_of_earlier_runs_here_reach_a_store_that_lacks_them(script, tmp_path):
    script.run("build", "matrix.yaml")
    script.run("build", "matrix.yaml", PINWHEEL_STORE=f"dir:{tmp_path / 'late'}")
    script.start_afresh()
    again = script.report("build", "matrix.yaml", PINWHEEL_STORE=f"dir:{tmp_path / 'late'}")
    assert {outcome["state"] for outcome in again.values()} == {"reused"}


def test_options_that_say_nothing_together_are_refused(script):
    for options in (
        ["--gate", "--target", "index"],
        ["--gate", "--step", "build:plain"],
        ["--gate", "--dry-run"],
        ["--reuse-only", "--dry-run"],
        ["--store", "nowhere"],
        ["--store", "https://name:secret@example.org/x"],
    ):
        refused = script.run("release", "matrix.yaml", *options, code=2)
        assert "hint:" in refused.stderr and "secret" not in refused.stderr
    assert script.starts() == {}
