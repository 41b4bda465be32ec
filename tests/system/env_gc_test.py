"""`env list` says who uses an environment, and `env gc` removes what nobody does."""

import json
import pathlib
import signal
import subprocess
import time

import pytest
from conftest import PYTHON

TAG = "cp" + PYTHON.replace(".", "")


@pytest.fixture
def script(project, tmp_path):
    """A project with its own cache."""
    made = project("script")
    made.environment["PINWHEEL_CACHE_DIR"] = str(tmp_path / "cache")
    return made


def listed(script) -> list[dict]:
    return json.loads(script.run("env", "list", "--json").stdout)["environments"]


def collected(script, *arguments: str) -> dict:
    return json.loads(script.run("env", "gc", "--json", *arguments).stdout)


def test_an_environment_names_the_steps_that_use_it(script):
    script.run("build", "matrix.yaml", "--only", f"{TAG}-plain")
    (environment,) = listed(script)
    steps = {use["step"] for use in environment["used-by"]}
    assert "build:plain" in steps
    assert {use["project"] for use in environment["used-by"]} == {str(script.directory)}
    assert environment["bytes"] == environment["own-bytes"] + environment["shared-bytes"] > 0
    text = script.run("env", "list").stdout
    assert f"\n  {script.directory}: " in text and "build:plain" in text


def test_what_nothing_used_is_removed_and_made_again(script):
    script.run("build", "matrix.yaml", "--only", f"{TAG}-plain")
    (before,) = listed(script)
    assert collected(script)["removed"] == []
    pretended = collected(script, "--older", "0s", "--dry-run")
    assert [each["id"] for each in pretended["removed"]] == [before["id"]] and listed(script) == [before]
    removed = collected(script, "--older", "0s")
    assert removed["removed"] == pretended["removed"]
    assert removed["removed-bytes"] >= before["own-bytes"] and removed["kept-bytes"] == 0
    assert listed(script) == []
    script.edit(lambda matrix: matrix["environment"]["variables"].update(OTHER="1"))
    script.run("build", "matrix.yaml", "--only", f"{TAG}-plain")
    assert [each["directory"] for each in listed(script)] == [before["directory"]]


def test_what_a_running_step_uses_stays(script, tmp_path):
    ready = tmp_path / "ready"
    shell = subprocess.Popen(
        script.command("env", "shell", "matrix.yaml", f"{TAG}-plain", "--", "sh", "-c", f"touch {ready}; exec sleep 600"),
        cwd=script.directory,
        env=script.environment,
    )
    try:
        while not ready.exists():
            assert shell.poll() is None
            time.sleep(0.1)
        kept = collected(script, "--older", "0s")
        assert [each["kind"] for each in kept["in-use"]] == ["environment"]
        (environment,) = listed(script)
        refused = script.run("env", "rm", environment["id"], code=4)
        assert "is locked by another process" in refused.stderr
    finally:
        shell.send_signal(signal.SIGTERM)
        shell.wait()
    assert [each["id"] for each in collected(script, "--older", "0s")["removed"] if each["kind"] == "environment"] == [environment["directory"].rpartition("/")[2]]


def test_a_time_that_is_none_is_named(script):
    refused = script.run("env", "gc", "--older", "soon", code=2)
    assert "--older: `soon` is not a time" in refused.stderr
    assert pathlib.Path(script.environment["PINWHEEL_CACHE_DIR"]).name == "cache"
