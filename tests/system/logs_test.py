"""`logs` while a run is under way."""

import subprocess
import time

GATE = "echo one; while [ ! -e {gate} ]; do sleep 0.1; done; echo two; exec python {{package}}/make_wheel.py {{dest_dir}}"


def popen(script, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        script.command(*arguments),
        cwd=script.directory,
        env=script.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def first_line(script, step: str) -> str:
    """The log of a step as soon as it has a line."""
    for _ in range(600):
        shown = subprocess.run(
            script.command("logs", step),
            cwd=script.directory,
            env=script.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if "one\n" in shown.stdout:
            return shown.stdout
        time.sleep(0.1)
    raise AssertionError(shown.stderr)


def test_the_log_of_a_running_step_is_shown_and_followed(project, tmp_path):
    script = project("script")
    gate = tmp_path / "gate"
    script.edit(lambda matrix: matrix["build"].update(command=["sh", "-c", GATE.format(gate=gate)]))
    run = popen(script, "build", "matrix.yaml", "cp*-plain")
    try:
        assert "two" not in first_line(script, "build:plain").splitlines()
        follower = popen(script, "logs", "-f", "build:plain")
        gate.touch()
        out, err = follower.communicate(timeout=120)
        assert follower.returncode == 0, err
        assert "one\ntwo\n" in out
        _, err = run.communicate(timeout=300)
        assert run.returncode == 0, err
    finally:
        gate.touch()
        run.kill()
        run.wait()
    # It has ended: the whole log, at once.
    assert "one\ntwo\n" in script.run("logs", "--follow", "build:plain").stdout
    refused = script.run("logs", "-f", "build:plai", code=2)
    assert "did you mean `build:plain`?" in refused.stderr
    script.run("logs", "-f", "--attempt", "1", "build:plain", code=2)


def test_a_step_that_was_killed_has_a_log(project, tmp_path):
    script = project("script")
    gate = tmp_path / "gate"
    script.edit(lambda matrix: matrix["build"].update(command=["sh", "-c", GATE.format(gate=gate)]))
    run = popen(script, "build", "matrix.yaml", "cp*-plain")
    first_line(script, "build:plain")
    run.kill()
    run.wait()
    gate.touch()
    assert "one\n" in script.run("logs", "build:plain").stdout
    assert "one\n" in script.run("logs", "-f", "build:plain").stdout
