"""`report A B`: what a run does that an earlier one did not."""

import hashlib
import json
import pathlib
import shutil
import signal
import uuid

import pytest
from compiled_wheels import TAGS, compiled, make_wheel
from github_server import NAME, TOKEN, github_server
from processes import start, wait_for_none, wait_until


def outcome(step: str, **changes: object) -> dict:
    return {"id": step, "key": f"key-of-{step}", "state": "done", "attempts": 1, "elapsed_ms": 10_000} | changes


def report(place: pathlib.Path, name: str, outcomes: list[dict]) -> pathlib.Path:
    file = place / name
    file.write_text(json.dumps({"schema": "pinwheel-report/2", "exit_code": 0, "signal": 0, "elapsed_ms": 1, "outcomes": outcomes}))
    return file


def built(wheel: pathlib.Path, digest: str, **changes: object) -> dict:
    return outcome("build:cpu", outputs=[{"path": wheel.name, "sha256": digest, "size": wheel.stat().st_size}], **changes)


def sha256(file: pathlib.Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def schema_library(place: pathlib.Path, schema: str, size: int) -> bytes:
    return compiled(place, "native", f'const char* schema(void) {{ return "{schema}"; }}\nchar data[{size}] = {{1}};\n')


def test_two_reports_are_compared(project, tmp_path):
    script = project("script")
    before = report(tmp_path, "before.json", [outcome("build:cpu"), outcome("test:a"), outcome("test:b"), outcome("test:old")])
    error = {"kind": "step", "message": "`pytest` failed"}
    after = report(
        tmp_path,
        "after.json",
        [outcome("build:cpu", elapsed_ms=20_000), outcome("test:a", state="failed", error=error), outcome("test:b", state="blocked"), outcome("test:new")],
    )
    found = json.loads(script.run("report", str(before), str(after), "--json").stdout)
    assert found["schema"] == "pinwheel-comparison/1"
    assert [each["id"] for each in found["newly_red"]] == ["test:a"]
    assert found["newly_red"][0]["reason"] == "`pytest` failed"
    assert [each["id"] for each in found["newly_blocked"]] == ["test:b"]
    assert [each["id"] for each in found["slower"]] == ["build:cpu"]
    assert (found["gained"], found["lost"]) == (["test:new"], ["test:old"])
    text = script.run("report", str(before), str(after)).stdout
    assert "newly red\n  test:a: done -> failed: `pytest` failed" in text
    assert "build:cpu: 10s -> 20s (+100%)" in text
    summary = tmp_path / "comparison.md"
    script.run("report", str(before), str(after), "--markdown", str(summary))
    assert summary.read_text().startswith("### Compared with ")
    other = report(tmp_path, "other.json", [outcome("build:other")])
    refused = script.run("report", str(before), str(other), code=2).stderr
    assert "have no step in common" in refused and "--merge" in refused
    assert "need two runs" in script.run("report", str(before), "--markdown", str(summary), code=2).stderr


def test_wheels_of_two_runs_are_compared_by_contents(project, tmp_path):
    script = project("script")
    wheels = {}
    for name, schema, size, headers in (
        ("before", "scale(Tensor x) -> Tensor", 10, "Requires-Dist: torch>=2.10\n"),
        ("after", "scale(Tensor x, float f) -> Tensor", 100_000, "Requires-Dist: torch>=2.11\n"),
    ):
        (tmp_path / name).mkdir()
        wheels[name] = make_wheel(tmp_path / name, {"demo/_C.so": schema_library(tmp_path / name, schema, size)}, TAGS, headers=headers)
    files = [report(tmp_path, f"{name}.json", [built(wheel, sha256(wheel))]) for name, wheel in wheels.items()]
    directories = ["--base-wheels", str(tmp_path / "before"), "--wheels", str(tmp_path / "after")]
    (wheel,) = json.loads(script.run("report", *map(str, files), *directories, "--json").stdout)["wheels"]
    assert wheel["unread"] is None
    assert wheel["requirements"] == {"gained": ["Requires-Dist: torch>=2.11"], "lost": ["Requires-Dist: torch>=2.10"]}
    assert wheel["operators"] == {"gained": ["scale(Tensor x, float f) -> Tensor"], "lost": ["scale(Tensor x) -> Tensor"]}
    parts = {(each["part"], each["name"]): (each["before"], each["after"]) for each in wheel["sizes"]}
    assert parts["section", ".data"][1] - parts["section", ".data"][0] > 90_000
    # A file is taken only if it has the bytes of the report.
    wheels["before"].write_bytes(b"other bytes")
    (wheel,) = json.loads(script.run("report", *map(str, files), *directories, "--json").stdout)["wheels"]
    assert wheel["unread"] == "the wheel of the earlier run is not here"


def test_the_results_in_two_directories_are_compared(project, tmp_path):
    script = project("script")
    places = [tmp_path / "base", tmp_path / "pull"]
    script.run("build", "matrix.yaml", "cp*-plain", "--store", f"dir:{places[0]}")
    maker = script.directory / "make_wheel.py"
    maker.write_text(maker.read_text() + "\n# changed\n")
    script.commit()
    script.run("build", "matrix.yaml", "cp*-plain", "--store", f"dir:{places[1]}")
    found = json.loads(script.run("report", *map(str, places), "--json").stdout)
    assert (found["shared"], found["timed"], found["newly_red"]) == (1, 1, [])
    same = json.loads(script.run("report", str(places[0]), str(places[0]), "--json").stdout)
    assert (same["shared"], same["timed"], same["wheels"]) == (1, 0, [])
    # In the artifacts of a workflow each artifact counts for its own step only.
    artifacts = tmp_path / "artifacts"
    artifacts.mkdir()
    places[0].rename(artifacts / "result-test-other-1")
    foreign = json.loads(script.run("report", str(artifacts), str(places[1]), "--json").stdout)
    assert (foreign["shared"], foreign["gained"]) == (0, ["build:plain"])
    (artifacts / "result-test-other-1").rename(artifacts / "result-build-plain-1")
    assert json.loads(script.run("report", str(artifacts), str(places[1]), "--json").stdout)["shared"] == 1


def failed_job(place: pathlib.Path, artifact: str, *outcomes: dict) -> None:
    """The journal that a job of a workflow uploads after a failure."""
    (place / artifact).mkdir(parents=True)
    lines = ['{"journal":1}']
    for each in outcomes:
        log = {"log": "/x/logs/20260102T030405-1/a.log"}
        lines.append(json.dumps({"started": {"id": each["id"], "key": each["key"], "attempt": 1} | log, "at": "2026-01-02T03:04:05Z"}))
        lines.append(json.dumps({"finished": each | log, "at": "2026-01-02T03:04:06Z", "domain": "branch"}))
    (place / artifact / "journal.jsonl").write_text("\n".join(lines) + "\n")


def test_a_failure_in_the_artifacts_of_a_workflow_is_newly_red(project, tmp_path):
    script = project("script")
    base, pull = tmp_path / "base", tmp_path / "pull"
    script.run("build", "matrix.yaml", "cp*-plain", "--store", f"dir:{base / 'result-build-plain-1'}")
    error = {"kind": "step", "message": "`make` failed"}
    failed = outcome("build:plain", state="failed", error=error)
    failed_job(pull, "failed-build-plain-1", failed)
    compared = lambda: json.loads(script.run("report", str(base), str(pull), "--json").stdout)
    found = compared()
    assert [(each["id"], each["reason"]) for each in found["newly_red"]] == [("build:plain", "`make` failed")]
    assert found["lost"] == []
    # A job says nothing about other steps, and a torn journal nothing at all.
    failed_job(pull, "failed-test-other-1", failed | {"id": "test:foreign"})
    (pull / "failed-build-plain-2").mkdir()
    (pull / "failed-build-plain-2" / "journal.jsonl").write_bytes(b"\xff{")
    found = compared()
    assert [each["id"] for each in found["newly_red"]] == ["build:plain"] and found["gained"] == []
    # A later attempt of the workflow has repeated it.
    shutil.copytree(base / "result-build-plain-1", pull / "result-build-plain-2")
    assert compared()["newly_red"] == []
    (pull / "result-build-plain-2").rename(pull / "result-build-plain-1")
    failed_job(pull, "failed-build-plain-3", failed)
    assert [each["id"] for each in compared()["newly_red"]] == ["build:plain"]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_step_of_a_stopped_job_is_listed_as_stopped(project, tmp_path, stop):
    script = project("script")
    base, pull = tmp_path / "base", tmp_path / "pull"
    script.run("build", "matrix.yaml", "cp*-plain", "--store", f"dir:{base / 'result-build-plain-1'}")
    maker = script.directory / "make_wheel.py"
    maker.write_text("import time\ntime.sleep(600)\n" + maker.read_text())
    script.commit()
    marker = f"SCCACHE_MARKER_{uuid.uuid4().hex}"
    before = script.starts()["build:plain"]
    run = start(script, marker, "cp*-plain")
    wait_until(lambda: script.starts()["build:plain"] > before, run)
    run.send_signal(stop)
    run.communicate(timeout=300)
    assert wait_for_none(marker, 120) == []
    artifact = pull / "failed-build-plain-1"
    artifact.mkdir(parents=True)
    shutil.copy(script.state / "journal.jsonl", artifact)
    found = json.loads(script.run("report", str(base), str(pull), "--json").stdout)
    (stopped,) = found["stopped"]
    assert (stopped["id"], stopped["after"]["state"]) == ("build:plain", "interrupted")
    reasons = {signal.SIGINT: "building `plain` failed: ended by signal 15", signal.SIGKILL: "its run was killed"}
    assert stopped["reason"] == reasons[stop]
    assert (found["lost"], found["newly_red"]) == ([], [])


def test_a_test_with_too_little_evidence_is_listed_with_what_is_required(project, tmp_path):
    script = project("script")
    base, pull = tmp_path / "base", tmp_path / "pull"
    base.mkdir()
    outcomes = script.report("test", "matrix.yaml", "cp*-plain", "--store", f"dir:{base / 'made'}")
    (test,) = (step for step in outcomes if step.startswith("test:"))
    name = test.replace(":", "-")
    (base / "made").rename(base / f"result-{name}-1")
    command = ["python", "{package}/tests/check.py"]
    script.edit(lambda matrix: matrix["test"].pop("command"))
    refused = script.run("test", "matrix.yaml", "cp*-plain", "--gate", code=5).stderr
    artifact = pull / f"failed-{name}-1"
    artifact.mkdir(parents=True)
    for file in ("journal.jsonl", "gate.json"):
        shutil.copy(script.state / file, artifact)
    found = json.loads(script.run("report", str(base), str(pull), "--json").stdout)
    (weak,) = found["too_little_evidence"]
    assert (weak["before"]["evidence"], weak["after"]["evidence"], weak["after"]["state"]) == ("ran", "loaded", "done")
    assert weak["reason"] in refused and "`ran` is required" in weak["reason"]
    assert (found["lost"], found["newly_red"], found["less_evidence"]) == ([], [], [])
    # What the gate said in an earlier run does not outlive it.
    script.edit(lambda matrix: matrix["test"].update(command=command))
    script.run("test", "matrix.yaml", "cp*-plain", "--gate")
    assert not (script.state / "gate.json").exists()


def test_earlier_runs_of_the_journal_show_what_is_usual(project):
    script = project("script")
    script.run("build", "matrix.yaml", "cp*-plain")
    journal = script.state / "journal.jsonl"
    header, *records = [json.loads(line) for line in journal.read_text().splitlines()]
    pair = [each for each in records if (each.get("started") or each["finished"])["id"] == "build:plain"]
    name = pathlib.Path(pair[0]["started"]["log"]).parent.name

    def run_of(number: int, milliseconds: int) -> list[dict]:
        """The records of the same run under another name, with another duration."""
        text = json.dumps(pair).replace(name, f"20260102T03040{number}-1")
        started, finished = json.loads(text)
        finished["finished"]["elapsed_ms"] = milliseconds
        return [started, finished]

    times = [100_000, 140_000, 100_000, 150_000, 100_000]
    lines = [header] + [each for number, took in enumerate(times) for each in run_of(number, took)]

    def compared(took: int) -> dict:
        journal.write_text("".join(json.dumps(each) + "\n" for each in lines + run_of(5, took)))
        return json.loads(script.run("report", "20260102T030404-1", "20260102T030405-1", "--json").stdout)

    usual = compared(160_000)
    assert (usual["slower"], usual["with_usual"], usual["within_usual"]) == ([], 1, 1)
    (slower,) = compared(210_000)["slower"]
    assert slower["usual"] == {"runs": 5, "p10_ms": 100_000, "p50_ms": 100_000, "p90_ms": 140_000}
    # A file of a journal has its own history, and a report has none.
    assert json.loads(script.run("report", str(journal), str(journal), "--json").stdout)["with_usual"] == 0


def test_a_file_has_the_durations_of_runs_on_other_machines(project, tmp_path):
    script = project("script")
    history = tmp_path / "base-run" / "durations.json"
    for number, took in enumerate([100_000, 140_000, 100_000, 150_000, 100_000, 100_000]):
        run = report(tmp_path, "run.json", [outcome("build:cpu", key=f"key-{number}", elapsed_ms=took)])
        script.run("report", str(run), "--update-history", str(history))
    # A result that another run reuses was measured once.
    script.run("report", str(run), "--update-history", str(history))
    steps = json.loads(history.read_text())["steps"]
    assert [each["ms"] for each in steps["build:cpu"]] == [100_000, 140_000, 100_000, 150_000, 100_000, 100_000]

    def compared(took: int, file: pathlib.Path = history) -> dict:
        later = report(tmp_path, "later.json", [outcome("build:cpu", key="later", elapsed_ms=took)])
        ran = script.run("report", str(run), str(later), "--history", str(file), "--json")
        return json.loads(ran.stdout) | {"warned": "has no durations of earlier runs" in ran.stderr}

    usual = compared(160_000)
    assert (usual["slower"], usual["with_usual"], usual["within_usual"]) == ([], 1, 1)
    assert compared(250_000)["slower"][0]["usual"]["runs"] == 6
    # Without the file, or with a damaged one, durations are compared as before.
    missing = compared(160_000, tmp_path / "missing.json")
    assert (len(missing["slower"]), missing["with_usual"], missing["warned"]) == (1, 0, False)
    history.write_text("{")
    damaged = compared(160_000)
    assert (len(damaged["slower"]), damaged["with_usual"], damaged["warned"]) == (1, 0, True)
    refused = script.run("report", str(run), "--update-history", str(history), "--json", code=2).stderr
    assert "`--update-history` shows nothing" in refused
    assert "need two runs" in script.run("report", str(run), "--history", str(history), code=2).stderr


def test_one_comment_of_a_pull_request_is_updated(project, tmp_path):
    script = project("script")
    before = report(tmp_path, "before.json", [outcome("build:cpu")])
    after = report(tmp_path, "after.json", [outcome("build:cpu", elapsed_ms=20_000)])
    summary = tmp_path / "summary.md"
    with github_server() as github:
        job = {"GITHUB_REPOSITORY": NAME, "GITHUB_API_URL": github.url, "GITHUB_TOKEN": TOKEN, "GITHUB_STEP_SUMMARY": str(summary)}
        pull = {**job, "GITHUB_REF": "refs/pull/12/merge"}
        arguments = ["report", str(before), str(after), "--comment", "compare-ops"]
        # Somebody else's comment is left alone, even with the marker.
        github.add_comment(12, "<!-- pinwheel: compare-ops -->\nmine", "User")
        assert "wrote the comment of pull request 12" in script.run(*arguments, **pull).stderr
        assert len(github.comments) == 2
        first = github.comments[1]["body"]
        assert first.startswith("<!-- pinwheel: compare-ops -->\n### Compared with ") and "**slower**" in first
        assert summary.read_text().strip() in first
        after.write_text(before.read_text())
        # The reply to the update is lost once: it is sent again.
        github.faults["PATCH"] = ["lost"]
        assert "updated the comment of pull request 12" in script.run(*arguments, **pull).stderr
        assert len(github.comments) == 2 and "**slower**" not in github.comments[1]["body"]
        assert github.comments[0]["body"].endswith("mine")
        # A push has no comment, and a token that may not write is an error.
        assert "no job of a pull request" in script.run(*arguments, **job, GITHUB_REF="refs/heads/main").stderr
        github.faults["PATCH"] = [(403, {})]
        refused = script.run(*arguments, **pull, code=6)
        assert "the comment was not written" in refused.stderr and TOKEN not in refused.stderr
