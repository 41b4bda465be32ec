"""A release whose job publishes to GitHub with the job's own token, run by act."""

import json
import shutil

import pytest
from act_workflows import SECRET, Workflows
from github_server import NAME, TOKEN, github_server


@pytest.fixture
def github():
    with github_server() as server:
        yield server


@pytest.fixture
def commented(project, github, tmp_path):
    """The workflows of a project that comments on pull requests, whose pinwheel calls the stand-in for GitHub."""
    script = project("script")
    script.edit(lambda matrix: matrix.update(ci={"comment": True}))
    workflows = Workflows(script, tmp_path / "act")
    program = workflows.place / "programs" / "pinwheel"
    program.write_text(program.read_text().replace("exec ", f"export GITHUB_API_URL={github.url}\nexec "))
    return workflows


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


@pytest.mark.workflows
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


@pytest.mark.workflows
@pytest.mark.takes(60)
def test_the_runs_of_a_pull_request_write_one_comment(commented, github):
    script = commented.project
    branch = commented.run("ci", "push", "--env", f"GITHUB_REPOSITORY={NAME}")
    assert branch.returncode == 0, branch.stdout + branch.stderr
    base = commented.artifacts.with_name("run-" + (commented.place / "caches" / "base-run" / "number.txt").read_text().strip())
    base.mkdir()
    for artifact in commented.artifacts.glob("*/"):
        artifact.rename(base / artifact.name)
    event = commented.place / "pull.json"
    head = {"ref": "topic", "sha": script.git("rev-parse", "HEAD").strip(), "repo": {"fork": False, "full_name": NAME}}
    pull = {"number": 12, "head": head, "base": {"ref": "main", "sha": head["sha"]}}
    event.write_text(json.dumps({"number": 12, "pull_request": pull}))
    arguments = ["--eventpath", str(event), "-s", f"GITHUB_TOKEN={TOKEN}", "--env", f"GITHUB_REPOSITORY={NAME}"]
    maker = script.directory / "make_wheel.py"
    good = maker.read_text()
    maker.write_text("import os, sys\nif os.environ['SCRIPT_FLAVOR'] == 'loud':\n    sys.exit('it <b>broke</b>')\n" + good)
    script.commit()
    red = commented.run("ci", "pull_request", *arguments)
    assert red.returncode != 0
    assert "wrote the comment of pull request 12" in red.stdout, red.stdout + red.stderr
    (comment,) = github.comments
    assert "**newly red**" in comment["body"] and "build:loud: done -> failed" in comment["body"]
    assert (commented.artifacts / "failed-build-loud-1" / "journal.jsonl").exists()
    for artifact in commented.artifacts.glob("*/"):
        shutil.rmtree(artifact)
    maker.write_text(good + "print('of a pull request')\n")
    script.commit()
    green = commented.run("ci", "pull_request", *arguments)
    assert green.returncode == 0, green.stdout + green.stderr
    assert "updated the comment of pull request 12" in green.stdout
    assert github.comments == [comment] and "newly red" not in github.comments[0]["body"]
    assert "4 steps in both" in github.comments[0]["body"]
    assert github.wrong == []
    files = [path for path in commented.artifacts.rglob("*") if path.is_file()]
    assert [path for path in files if TOKEN.encode() in path.read_bytes()] == []
    assert TOKEN not in red.stdout + green.stdout
