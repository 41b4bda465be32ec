"""`pinwheel status`: a release compared with a real pypiserver and a directory index, file by file."""

import contextlib
import json
import shlex
import subprocess

import pytest
from indexes import real_index


@pytest.fixture
def server():
    """Ends the index at the end of the test, or earlier."""
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def released(project, server, packages):
    """A project whose two wheels go to an index and into a directory."""
    script = project("script")
    url = server.enter_context(real_index(packages)) + "/"
    index = {"kind": "index", "url": url, "label": "local", "auth": "none"}
    wheels = {"kind": "directory", "path": "../wheels", "label": "local"}
    script.edit(lambda matrix: matrix.update(publish={"index": index, "wheels": wheels}))
    script.targets = ("--target", "index", "--target", "wheels")
    return script


def status(script, *options, code):
    return script.run("status", "matrix.yaml", *script.targets, *options, code=code)


def states(script, code):
    report = json.loads(status(script, "--json", code=code).stdout)
    assert report["schema"] == "pinwheel-status/1" and report["complete"] == (code == 0)
    return {(each["target"], each["file"] or each["step"]): each["state"] for each in report["files"]}


def test_a_release_goes_from_not_built_to_complete(released, packages):
    before = states(released, code=5)
    assert len(before) == 4 and set(before.values()) == {"not built"}
    released.run("test", "matrix.yaml")
    assert set(states(released, code=5).values()) == {"missing"}
    released.run("release", "matrix.yaml", "--target", "index")
    half = states(released, code=5)
    assert {target: state for (target, _), state in half.items()} == {"index": "published", "wheels": "missing"}
    error = status(released, code=5).stderr
    assert "2 of 4 files missing" in error
    command = shlex.split(error.split("hint: `pinwheel ")[1].split("`")[0])
    assert command[0] == "release"
    # The command that it prints completes the release.
    subprocess.run(
        [released.binary, *command], cwd=released.directory, env=released.environment, check=True, capture_output=True
    )
    assert set(states(released, code=0).values()) == {"published"}
    assert "tag `v1.2.0` is on HEAD" in status(released, code=0).stderr
    state = sorted(path.name for path in released.state.iterdir())
    assert status(released, "1.2.0", code=0).stderr.endswith("release 1.2.0 is complete\n")
    assert sorted(path.name for path in released.state.iterdir()) == state


def test_other_bytes_and_unplanned_files_are_named(released, packages):
    released.run("release", "matrix.yaml", *released.targets)
    wheel = sorted(packages.glob("*.whl"))[0]
    stranger = wheel.with_name(wheel.name.replace("-py3-", "-py2.py3-"))
    assert stranger != wheel
    stranger.write_bytes(wheel.read_bytes())
    assert f"not in the plan: index: {stranger.name}" in status(released, code=0).stderr
    wheel.write_bytes(wheel.read_bytes() + b"x")
    assert list(states(released, code=5).values()).count("other bytes") == 1
    assert "hint: publish another version" in status(released, code=5).stderr


def test_a_tag_at_another_commit_has_no_command_that_completes_the_release(released):
    written = {"from": "file", "file": "VERSION"}
    released.edit(lambda matrix: matrix["package"].update(version=written))
    (released.directory / "VERSION").write_text("1.2.0\n")
    released.commit()
    released.git("tag", "-d", "v1.2.0")
    released.run("release", "matrix.yaml", *released.targets)
    missing = status(released, code=5).stderr
    assert "no tag on HEAD" in missing and "git tag v1.2.0" in missing
    released.git("tag", "v1.2.0", "HEAD~1")
    moved = status(released, code=5).stderr
    assert "its tag is at another commit" in moved and "tag `v1.2.0` is at another commit than HEAD" in moved
    assert "hint: publish another version" in moved and "git tag" not in moved
    assert json.loads(status(released, "--json", code=5).stdout)["conflicts"] == ["tag `v1.2.0` is at another commit than HEAD"]


def test_another_version_is_an_error(released):
    other = status(released, "9.9", code=2).stderr
    assert "this checkout is version 1.2.0, not `9.9`" in other


def test_an_index_that_is_gone_leaves_its_files_unknown(released, server):
    released.run("release", "matrix.yaml", *released.targets)
    server.close()
    gone = status(released, code=5).stderr
    assert "2 of 4 files unknown" in gone and "run it again when the index answers" in gone


def test_a_frozen_plan_and_a_store_give_the_same_on_another_machine(released, tmp_path):
    released.run("plan", "matrix.yaml", "--out", "plan.json")
    store = f"dir:{tmp_path / 'store'}"
    released.run("build", "--plan", "plan.json", "--store", store)
    released.state.rename(tmp_path / "gone")
    report = json.loads(released.run("status", "--plan", "plan.json", "--store", store, "--json", code=5).stdout)
    assert [step for step in report["missing-steps"] if step.startswith("build:")] == []
    assert any(step.startswith("test:") for step in report["missing-steps"])


def test_a_tag_of_a_repository_around_the_project_is_not_its_own(released, tmp_path):
    """`git tag` there would tag somebody else's repository."""
    written = {"from": "file", "file": "VERSION"}
    released.edit(lambda matrix: matrix["package"].update(version=written))
    (released.directory / "VERSION").write_text("1.2.0\n")
    released.commit()
    assert "tag `v1.2.0` is on HEAD" in status(released, code=5).stderr
    (released.directory / ".git").rename(tmp_path / "unused.git")
    around = released.directory.parent
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "other"], ["tag", "v1.2.0"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *command], cwd=around, check=True, env=released.environment)
    alone = status(released, code=5).stderr
    assert "on HEAD" not in alone and "git tag" not in alone
