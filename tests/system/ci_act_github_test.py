"""A release whose job publishes to GitHub with the job's own token, run by act."""

import json

import pytest
from act_workflows import SECRET, Workflows
from github_server import NAME, TOKEN, github_server


@pytest.fixture
def github():
    with github_server() as server:
        yield server


@pytest.fixture
def workflows(project, github, tmp_path):
    script = project("script")

    def change(matrix):
        target = {"kind": "github-release", "repository": NAME, "api": github.url, "label": "local"}
        matrix["publish"] = {"require": "ran", "github": target}
        matrix["channels"]["release"] = {"publish": ["github"]}
        matrix["channels"]["ci"] = {"publish": []}

    script.edit(change)
    return Workflows(script, tmp_path / "act")


@pytest.mark.takes(100)
def test_the_publish_job_makes_the_tag_and_the_release_of_its_frozen_plan(workflows, github):
    text = (workflows.project.directory / ".github/workflows/pinwheel-release.yml").read_text()
    job = text.split("  publish-github:")[1]
    assert "contents: write" in job and "id-token" not in text and "secrets." not in job
    assert text.count("contents: write") == 1
    ran = workflows.run("release", "push", "-s", f"GITHUB_TOKEN={TOKEN}", "-s", f"OTHER={SECRET}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    tag, commit = next(iter(github.tags.items()))
    plan = json.loads((workflows.artifacts / "plan" / "plan.json").read_text())
    assert (plan["tag"], plan["commit"]) == (tag, commit) == ("v1.2.0", workflows.project.git("rev-parse", "HEAD").strip())
    assert len(github.files(tag)) == 5
    files = [path for path in workflows.artifacts.rglob("*") if path.is_file()]
    assert [path for path in files if TOKEN.encode() in path.read_bytes()] == []
    assert TOKEN not in ran.stdout + ran.stderr

    # The same job again only verifies.
    done = list(github.done)
    again = workflows.run("release", "push", "-s", f"GITHUB_TOKEN={TOKEN}", "--env", "GITHUB_RUN_ATTEMPT=2")
    assert again.returncode == 0, again.stdout + again.stderr
    assert github.done == done
