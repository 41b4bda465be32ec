"""Files in a place that nobody reads to their end: a FIFO, a device, a huge file."""

import resource
import subprocess

import pytest
from conftest import Project
from hostile_projects import add_device, add_fifo, add_huge


@pytest.fixture
def script(project) -> Project:
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return script


def use_little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


@pytest.mark.takes(30)
@pytest.mark.parametrize("add", [add_fifo, add_device, add_huge])
def test_no_command_waits_for_them(script, tmp_path, add):
    place = tmp_path / "place"
    here = ["--store", f"dir:{place}"]
    script.run("build", "matrix.yaml", *here)
    # In the place of a result that a run asks for, and of one that nobody does.
    (result,) = (place / "ac").iterdir()
    other = place / "ac" / ("a" * 64)
    result.unlink()
    for path in (result, other):
        add(path)
    for command, code in (
        (["stat", *here], 0),
        (["verify", *here], 5),
        (["why", "build:plain", "matrix.yaml", *here], 0),
        (["import", str(place), "--store", f"dir:{tmp_path / 'other'}"], 0),
        (["gc", *here, "--size", "0", "--releases", "0"], 0),
    ):
        ran = subprocess.run(
            script.command("store", *command),
            cwd=script.directory,
            env=script.environment,
            capture_output=True,
            timeout=60,
            preexec_fn=use_little_memory,
        )
        assert ran.returncode == code, (command, ran.stderr)
    assert {path.name for path in (place / "ac").iterdir()} == {result.name, other.name}
    script.patience = 60
    script.share_resolutions()
    script.start_afresh()
    ran = script.run("build", "matrix.yaml", *here)
    assert f"the store `dir:{place}` could not be read" in ran.stderr
    # The run's own output is there instead.
    assert result.is_file() and not result.is_symlink() and result.stat().st_size < 10_000
