"""The script that `build --dry-run` prints makes the same files as `build`."""

import subprocess

import pytest


@pytest.fixture
def extension(project):
    return project("extension")


def test_the_script_makes_the_same_files(extension, tmp_path):
    script = extension.run("build", "matrix.yaml", "--dry-run").stdout
    assert extension.wheels() == {} and extension.starts() == {}
    clean = tmp_path / "clean"
    clean.mkdir()
    ran = subprocess.run(
        ["bash"], input=script, cwd=clean, env=extension.environment, capture_output=True, text=True, timeout=240
    )
    assert ran.returncode == 0, ran.stderr
    assert list(clean.iterdir()) == []
    by_hand = extension.wheels()
    assert len(by_hand) == 3
    extension.start_afresh()
    extension.run("build", "matrix.yaml")
    assert by_hand == extension.wheels()


def test_a_dry_run_of_a_release_lists_its_actions_and_does_nothing(extension):
    extension.edit(lambda matrix: matrix["publish"]["index"].update({"keep-nightlies": 14}))
    script = extension.run("release", "matrix.yaml", "--dry-run").stdout
    assert "# would publish to index, and keep its newest 14 nightlies\n" in script
    assert script.count("# would install the wheel of build:") == 2
    assert extension.wheels() == {} and not extension.index.exists()
    subprocess.run(["bash", "-n"], input=script, check=True, text=True)
