"""Runs that are stopped, in each phase, leave no container and no build process behind."""

import random
import signal
import socket
import subprocess

import pytest
from contained import in_bullseye
from processes import left_behind, wait_for_none, wait_until

pytestmark = pytest.mark.docker

SLOW_IMAGE = "ARG BASE_IMAGE\nFROM ${{BASE_IMAGE}}\nRUN sleep {seconds}\n"


@pytest.fixture
def contained(project, engine, bases):
    return in_bullseye(project, engine, bases)


def start(contained, *arguments: str, **variables: str) -> subprocess.Popen:
    return subprocess.Popen(
        contained.command(*arguments, "matrix.yaml", *contained.levels),
        cwd=contained.directory,
        env={**contained.environment, **variables},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )


@pytest.fixture
def seconds() -> str:
    """A sleep in seconds: longer than any test, and unique among tests."""
    return str(10**6 + random.randrange(10**6))


def sleeper(seconds: str) -> str:
    """The arguments of that sleep, as the kernel shows them."""
    return f"sleep\0{seconds}\0"


def running(engine) -> list[str]:
    return engine.call("ps", "--format", "{{.Names}}").stdout.split()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_test_leaves_no_container(contained, engine, seconds, number):
    contained.run("build", "matrix.yaml", *contained.levels)
    contained.edit(lambda matrix: matrix["test"].update(command=["sleep", seconds]))
    run = start(contained, "test")
    wait_until(lambda: left_behind(sleeper(seconds)), run, 240)
    run.send_signal(number)
    run.communicate(timeout=60)
    if number == signal.SIGINT:
        assert run.returncode == 130
    else:
        contained.edit(lambda matrix: matrix["test"].update(command=["python", "-c", "pass"]))
        contained.run("test", "matrix.yaml", *contained.levels)
    assert engine.containers() == []


def test_an_image_build_is_canceled(contained, engine, seconds):
    (contained.directory / "docker" / "slow.Dockerfile").write_text(SLOW_IMAGE.format(seconds=seconds))
    contained.edit(lambda matrix: matrix["environment"]["container"].update(dockerfile="docker/slow.Dockerfile"))
    run = start(contained, "build")
    wait_until(lambda: left_behind(sleeper(seconds)), run, 120)
    run.send_signal(signal.SIGINT)
    _, output = run.communicate(timeout=60)
    assert run.returncode == 130 and "error: stopped before the first step" in output
    assert wait_for_none(sleeper(seconds)) == []
    assert engine.containers() == []


def test_a_resolution_is_canceled(contained, engine):
    contained.run("build", "matrix.yaml", *contained.levels)
    contained.edit(lambda matrix: matrix["environment"].update(pip=["spam"]))
    contained.levels += ["--network", "host"]
    with socket.create_server(("127.0.0.1", 0)) as never_answers:
        index = f"http://127.0.0.1:{never_answers.getsockname()[1]}/simple"
        settings = {"PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": index, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}
        run = start(contained, "build", **settings)
        never_answers.settimeout(120)
        connection, _ = never_answers.accept()
        with connection:
            assert any("resolve" in name for name in running(engine))
            run.send_signal(signal.SIGTERM)
            _, output = run.communicate(timeout=60)
    assert run.returncode == 143 and "error: stopped before the first step" in output
    assert engine.containers() == []
