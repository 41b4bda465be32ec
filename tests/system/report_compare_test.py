"""`report A B`: what a run does that an earlier one did not."""

import hashlib
import json
import pathlib

from compiled_wheels import TAGS, compiled, make_wheel
from github_server import NAME, TOKEN, github_server


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
