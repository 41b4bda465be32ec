"""A release whose jobs publish to one index, install from it, and publish the same bytes to the next, run by act."""

import json
import pathlib

import pytest
from act_workflows import SECRET, Workflows
from conftest import digests
from guarded_index import guarded_index

TOKENS = ("PINWHEEL_TOKEN_TRIAL", "PINWHEEL_TOKEN_OWN")


@pytest.fixture
def indexes(tmp_path):
    """Two indexes that take uploads with the secret: the directory and the URL of each."""
    places = [tmp_path / "first", tmp_path / "last"]
    for place in places:
        place.mkdir()
    with guarded_index(places[0], SECRET) as first, guarded_index(places[1], SECRET) as last:
        yield [(places[0], first), (places[1], last)]


@pytest.fixture
def workflows(project, indexes, tmp_path):
    script = project("script")

    def change(matrix):
        (_, first), (_, last) = indexes
        index = {"kind": "index", "label": "local"}
        matrix["publish"] |= {"trial": index | {"url": f"{first}/"}, "own": index | {"url": f"{last}/"}}
        matrix["channels"]["release"] = {"publish": ["own"], "through": "trial"}

    script.edit(change)
    return Workflows(script, tmp_path / "act")


@pytest.mark.workflows
@pytest.mark.takes(90)
def test_only_the_publish_jobs_see_a_secret_and_the_bytes_of_the_first_index_reach_the_next(workflows, indexes):
    (first, _), (last, _) = indexes
    secrets = [word for token in TOKENS for word in ("-s", f"{token}={SECRET}")]
    ran = workflows.run("release", "push", *secrets)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert digests(first) == digests(last) and len(digests(last)) == 2
    results = workflows.results()
    assert "result-publish-trial-1" in results and not any("publish-own" in name for name in results)
    rows = workflows.rows("install")
    assert [f"result-{row['artifact']}-1" for row in rows] == [name for name in reversed(results) if "install" in name]
    # The version check of each publish job's action, and its upload.
    assert workflows.invocations() == ["--version", "--version", "release --target", "release --target"]
    files = [path for path in workflows.artifacts.rglob("*") if path.is_file()]
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []
    records = [path for path in files if b"pinwheel-release/1" in path.read_bytes()]
    assert [json.loads(path.read_text())["project"] for path in records] == ["script-only"]


@pytest.mark.workflows
@pytest.mark.takes(90)
def test_a_release_that_cannot_be_installed_reaches_no_other_index_until_the_job_is_run_again(workflows, indexes):
    (first, _), (last, _) = indexes
    secrets = [word for token in TOKENS for word in ("-s", f"{token}={SECRET}")]
    workflows.generate(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    broken = pathlib.Path(workflows.place) / "programs" / "uv"
    broken.write_text("#!/bin/sh\necho 'error: no such wheel' >&2\nexit 2\n")
    broken.chmod(0o755)
    failed = workflows.run("release", "push", *secrets)
    assert failed.returncode != 0 and "with uv failed" in failed.stdout
    there = digests(first)
    assert len(there) == 1 and digests(last) == {}
    broken.unlink()
    kept = {name: digests(workflows.artifacts / name) for name in workflows.results()}
    again = workflows.run("release", "push", *secrets, "--env", "GITHUB_RUN_ATTEMPT=2")
    assert again.returncode == 0, again.stdout + again.stderr
    assert digests(first) == digests(last) == there
    assert {name: digests(workflows.artifacts / name) for name in kept} == kept
