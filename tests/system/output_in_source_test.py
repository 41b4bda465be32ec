"""A package whose source contains the output and the state directory: runs do not change it."""

import pytest


@pytest.fixture
def inside(project):
    script = project("script")
    script.output = script.directory / "dist"
    script.state = script.directory / "made" / "state"
    script.state.parent.mkdir()
    script.start_afresh()
    return script


def assert_runs_and_is_reused(script):
    outcomes = script.report("build", "matrix.yaml", "-j", "1")
    assert {outcome["state"] for outcome in outcomes.values()} == {"done"}
    assert len(script.wheels()) == 2
    again = script.report("build", "matrix.yaml")
    assert {outcome["state"] for outcome in again.values()} == {"reused"}


def test_a_new_output_directory_ignores_itself(inside):
    assert_runs_and_is_reused(inside)
    assert (inside.output / ".gitignore").read_text() == "*\n"
    assert inside.git("status", "--porcelain") == ""


def test_an_existing_output_directory_does_not_change_its_files(inside):
    inside.output.mkdir()
    (inside.output / "notes.txt").write_text("mine\n")
    outcomes = inside.report("build", "matrix.yaml", "-j", "1")
    assert {outcome["state"] for outcome in outcomes.values()} == {"done"}
    (inside.output / "notes.txt").write_text("changed\n")
    again = inside.report("build", "matrix.yaml")
    assert {outcome["state"] for outcome in again.values()} == {"reused"}
    assert not (inside.output / ".gitignore").exists()


def test_what_is_committed_there_is_source(inside):
    inside.output.mkdir()
    (inside.output / "bundle.js").write_text("1;\n")
    inside.commit()
    assert inside.report("build", "matrix.yaml", "-j", "1")["build:plain"]["state"] == "done"
    (inside.output / "bundle.js").write_text("2;\n")
    inside.git("commit", "-q", "-m", "change", "dist/bundle.js")
    inside.git("tag", "-f", "v1.2.0")
    again = inside.report("build", "matrix.yaml", "-j", "1")
    assert again["build:plain"]["state"] == "done"
