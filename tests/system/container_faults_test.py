"""Faults around containers: a full disk, a container that is killed, a registry that does not answer."""

import contextlib
import pathlib
import shutil
import socket
import subprocess
import threading
import time

import pytest
from processes import wait_until

pytestmark = pytest.mark.docker

DOCKERFILES = pathlib.Path(__file__).parents[2] / "docker"
DEADLINE = 150


@pytest.fixture
def contained(project, engine, bases):
    """A project with one variant in bullseye, with its Python 3.9."""
    script = project("script")
    shutil.copytree(DOCKERFILES, script.directory / "docker")
    script.environment |= engine.added()

    def change(matrix):
        matrix["axes"] |= {"python": ["3.9"], "flavor": ["plain"]}
        matrix["environment"]["container"] = {"dockerfile": "docker/test.Dockerfile", "base": bases["bullseye"]}

    script.edit(change)
    script.levels = ["--engine", engine.name, "--python", "venv"]
    return script


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 16 MB."""
    place = tmp_path / "small"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", str(place)], check=True)


def failure_of(outcomes, step: str) -> dict:
    assert outcomes[step]["state"] == "failed" and outcomes[step]["attempts"] == 1, outcomes[step]
    return outcomes[step]["error"]


def test_a_full_disk_in_the_container_is_an_environment_error(contained, engine, small_disk):
    contained.run("build", "matrix.yaml", *contained.levels)
    contained.edit(lambda matrix: matrix["build"]["command"].extend(["--pad", "30000000"]))
    shutil.copytree(contained.state, small_disk / "state", ignore=shutil.ignore_patterns("scratch"))
    contained.state = small_disk / "state"
    error = failure_of(contained.report("build", "matrix.yaml", *contained.levels, code=4), "build:plain")
    assert "no space left on device" in error["message"].lower()
    # If the next line of the journal still fits, the error of the build is reported, otherwise that of the journal.
    assert str(contained.state) in error["message"]
    assert "free space" in error["hint"]
    assert engine.containers() == []


@pytest.mark.parametrize("end", [("kill",), ("rm", "--force")], ids=["killed", "removed"])
def test_a_container_that_is_ended_from_outside_fails_its_step_and_the_next_run_finishes(contained, engine, end):
    contained.run("build", "matrix.yaml", *contained.levels)
    contained.edit(lambda matrix: matrix["build"]["command"].extend(["--pause", "300"]))
    run = subprocess.Popen(
        contained.command("build", "matrix.yaml", *contained.levels),
        cwd=contained.directory, env=contained.environment, stderr=subprocess.PIPE, text=True,
    )
    try:
        wait_until(lambda: engine.running("--pause"), run, DEADLINE)
        (name,) = engine.running("--pause")
        engine.call(*end, name)
        _, output = run.communicate(timeout=60)
    finally:
        run.terminate()  # of a failed test, whose container the next tests would find
        run.wait()
    assert run.returncode == 1, output
    assert "build:plain" in output and "signal 9" in output
    assert engine.containers() == []
    contained.edit(lambda matrix: matrix["build"]["command"].__delitem__(slice(-2, None)))
    contained.run("build", "matrix.yaml", *contained.levels)


@contextlib.contextmanager
def silent_registry():
    """Accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = []

        def take():
            with contextlib.suppress(OSError):
                while True:
                    taken.append(server.accept()[0])

        threading.Thread(target=take, daemon=True).start()
        yield server.getsockname()[1]
        for connection in taken:
            connection.close()


def test_a_registry_that_does_not_answer_is_named_after_a_timeout(contained):
    with silent_registry() as port:
        name = f"localhost:{port}/absent/base:1"
        ran = contained.run("build", "matrix.yaml", *contained.levels, "--base-image", name, code=4)
    assert f"pulling {name}" in ran.stderr
    assert f"the image `{name}` is not available locally and cannot be pulled" in ran.stderr
    assert "--base-image" in ran.stderr
