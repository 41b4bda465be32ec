"""Builds and tests in containers: the same steps, ids and bytes as on the host."""

import json
import os
import subprocess

import pytest
from contained import contain, in_bullseye, states

pytestmark = pytest.mark.docker


@pytest.fixture
def contained(project, engine, bases):
    return in_bullseye(project, engine, bases)


def test_a_release_in_containers_equals_the_hosts(contained, engine):
    outcomes = contained.report("release", "matrix.yaml", *contained.levels)
    assert states(outcomes) == {"done"}
    assert engine.containers() == []
    assert {outcome["evidence"] for step, outcome in outcomes.items() if step.startswith("test:")} == {"ran"}
    inside = contained.wheels()
    assert all(path.stat().st_uid == os.getuid() for path in contained.output.rglob("*"))

    again = contained.report("release", "matrix.yaml", *contained.levels)
    assert states(again) == {"reused"}

    # No compiler is involved: the host makes the same bytes.
    contained.start_afresh()
    contained.run("build", "matrix.yaml")
    assert contained.wheels() == inside


BACKEND = """\
import pathlib


def get_requires_for_build_wheel(config_settings=None):
    return ["spam"] if "bullseye" in pathlib.Path("/etc/os-release").read_text() else ["of-another-system"]
"""


def test_a_backend_is_asked_in_the_image_that_builds(contained, engine, wheels):
    """Its requirements depend on the distribution, and the host is another."""
    (contained.directory / "backend").mkdir()
    (contained.directory / "backend" / "own_backend.py").write_text(BACKEND)
    pyproject = '[build-system]\nrequires = ["eggs"]\nbuild-backend = "own_backend"\nbackend-path = ["backend"]\n'
    (contained.directory / "pyproject.toml").write_text(pyproject)
    needs = "import spam, eggs, runpy, sys; sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')"

    def change(matrix):
        matrix["package"]["sdist"] = False
        matrix["build"]["command"] = ["python", "-c", needs, "{package}/make_wheel.py", "{dest_dir}"]

    contained.edit(change)
    contained.environment |= {"PIP_FIND_LINKS": str(wheels)}
    ran = contained.run("build", "matrix.yaml", *contained.levels)
    assert "asking `own_backend` what `build:" in ran.stderr
    (record,) = (contained.state / "backends").glob("*.json")
    assert json.loads(record.read_text())["requires"] == ["spam"]
    assert engine.containers() == []
    again = contained.run("build", "matrix.yaml", *contained.levels)
    assert "asking" not in again.stderr


@pytest.mark.images
def test_containers_and_conda_packages_together(project, engine, bases, channel, tmp_path):
    """As in CI: a container of a distribution, with Python from the channel."""
    script = project("script")
    contain(script, bases["bookworm"], "bookworm", "3.11")
    conda = {"channels": [channel.url], "packages": ["python={python}", "ninja"]}
    found = "import shutil, sys; assert sys.base_prefix.startswith({!r}) and not shutil.which('ninja'), shutil.which('ninja')"

    def change(matrix):
        matrix["environment"]["conda"] = conda
        del matrix["environment"]["container"]["dockerfile"]
        matrix["test"]["command"][-1] += "; " + found.format(script.environment["PINWHEEL_CACHE_DIR"])

    script.edit(change)
    script.environment |= engine.added()
    script.environment["PINWHEEL_CONDA"] = "rattler"
    by_hand = run_by_bash(script, tmp_path / "clean", "--engine", engine.name)
    outcomes = script.report("test", "matrix.yaml", "--engine", engine.name)
    assert states(outcomes) == {"done"} and script.wheels() == by_hand
    assert engine.containers() == []


@pytest.mark.images
def test_the_build_image_compiles(project, engine, bases, channel):
    """The shipped Dockerfile for build images on a minimal base, with the compiler that it installs."""
    script = project("script")
    contain(script, bases["bookworm"], "bookworm", "3.11")
    compiles = "import os, subprocess; subprocess.run(['c++', '--version'], check=True)"

    def change(matrix):
        matrix["environment"]["container"]["dockerfile"] = "docker/build.Dockerfile"
        matrix["environment"]["conda"] = {"channels": [channel.url], "packages": ["python={python}"]}
        matrix["checks"] = {"before": ["compiler"]}
        matrix["test"]["command"] = ["python", "-c", compiles]

    script.edit(change)
    script.environment |= engine.added()
    outcomes = script.report("test", "matrix.yaml", "--engine", engine.name, PINWHEEL_CONDA="rattler")
    assert states(outcomes) == {"done"}


def run_by_bash(script, directory, *levels: str) -> dict[str, str]:
    """The wheels that a dry run's script makes, for a project without any."""
    dry = script.run("build", "matrix.yaml", *levels, "--dry-run").stdout
    assert script.wheels() == {} and script.starts() == {}
    directory.mkdir()
    options = {"cwd": directory, "env": script.environment, "capture_output": True, "text": True, "timeout": 240}
    ran = subprocess.run(["bash"], input=dry, **options)
    assert ran.returncode == 0, ran.stderr
    assert list(directory.iterdir()) == []
    made = script.wheels()
    script.start_afresh()
    return made


def test_the_script_of_a_dry_run_makes_the_same_wheels(contained, engine, tmp_path):
    by_hand = run_by_bash(contained, tmp_path / "clean", *contained.levels)
    assert engine.containers() == []
    contained.run("build", "matrix.yaml", *contained.levels)
    assert by_hand == contained.wheels() and len(by_hand) == 2


def would(script) -> dict[str, str]:
    """The forecast of `plan` by step; empty if there is none."""
    table = script.run("plan", "matrix.yaml", *script.levels).stdout.partition("\nstep ")[2]
    rows = [line.split() for line in table.splitlines()[1:] if line]
    return {(row[1] if row[0].isdigit() else row[0]): row[2 if row[0].isdigit() else 1] for row in rows[:-1]}


def images_of(engine):
    """The digest of every image; sorted, because images made in the same second are listed in any order."""
    return sorted(engine.call("images", "--all", "--quiet").stdout.split())


def test_a_plan_says_what_containers_would_reuse_and_makes_nothing(contained, engine):
    assert would(contained) == {}
    contained.run("release", "matrix.yaml", *contained.levels)
    images = images_of(engine)
    assert set(would(contained).values()) == {"reuse"}
    # A changed Dockerfile makes a different image, which does not exist yet.
    dockerfile = contained.directory / "docker" / "test.Dockerfile"
    dockerfile.write_text(dockerfile.read_text() + "# changed\n")
    contained.commit()
    assert "reuse" not in would(contained).values()
    assert images_of(engine) == images
    contained.environment["DOCKER_HOST"] = "unix:///nonexistent/docker.sock"
    if engine.name == "docker":
        assert would(contained) == {}


def test_an_image_is_built_once_and_tagged_with_the_commit(contained, engine):
    contained.run("build", "matrix.yaml", *contained.levels)
    short = contained.git("rev-parse", "--short=7", "HEAD").strip()
    tags = engine.call("images", "--format", "{{.Repository}}:{{.Tag}}").stdout
    assert f"pinwheel:main-{short}-" in tags
    contained.start_afresh()
    second = contained.run("build", "matrix.yaml", *contained.levels)
    assert "building an image" not in second.stderr


def test_an_unavailable_image_is_named(contained, engine):
    absent = ["--base-image", "localhost:1/absent/base:1"]
    ran = contained.run("build", "matrix.yaml", *contained.levels, *absent, code=4)
    assert "localhost:1/absent/base:1" in ran.stderr
    assert "--base-image" in ran.stderr


def test_a_dockerfile_that_fails_shows_its_last_output(contained, engine):
    (contained.directory / "docker" / "test.Dockerfile").write_text(
        "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nRUN echo so-it-went && exit 3\n"
    )
    contained.commit()
    ran = contained.run("build", "matrix.yaml", *contained.levels, code=1)
    assert "so-it-went" in ran.stderr
    assert "the full log is in" in ran.stderr


def test_an_engine_that_does_not_answer_says_how_to_start_it(contained, engine):
    if engine.name == "podman":
        contained.environment["CONTAINER_HOST"] = "unix:///nonexistent.sock"
        contained.environment["PATH"] = "/nonexistent"
    else:
        contained.environment["DOCKER_HOST"] = "unix:///nonexistent.sock"
    ran = contained.run("build", "matrix.yaml", *contained.levels, code=4)
    assert "hint:" in ran.stderr
    assert engine.name in ran.stderr


def test_failed_containers_are_kept_on_request_and_removed_by_the_next_run(contained, engine):
    contained.edit(lambda matrix: matrix["test"].update(command=["python", "-c", "raise SystemExit(3)"]))
    contained.run("test", "matrix.yaml", *contained.levels, code=1)
    assert engine.containers() == []
    contained.run("test", "matrix.yaml", *contained.levels, "--keep-failed", code=1)
    kept = engine.containers()
    assert kept and all(name.startswith("pinwheel-") for name in kept)
    contained.edit(lambda matrix: matrix["test"].update(command=["python", "-c", "pass"]))
    contained.run("test", "matrix.yaml", *contained.levels)
    assert engine.containers() == []
