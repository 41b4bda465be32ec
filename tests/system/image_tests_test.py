"""`test.images`: the finished wheel is tested on each distribution, with its own Python or a provided one."""

import pathlib
import shutil

import pytest
from conftest import PYTHON, digests
from jobs import Jobs, comparable

DOCKERFILES = pathlib.Path(__file__).parents[2] / "docker"
BUILDER = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev python3 python3-venv
"""
IMAGES = ["debian:bookworm", "debian:bullseye"]
TAG = f"cp{PYTHON.replace('.', '')}"
OLD, NEW = f"{TAG}-old", f"{TAG}-new"


@pytest.fixture
def library(project):
    """One C function, in a wheel that loads with any glibc and in one that needs 2.34."""
    script = project("library")
    shutil.copytree(DOCKERFILES, script.directory / "docker")
    (script.directory / "docker" / "builder.Dockerfile").write_text(BUILDER)
    script.edit(lambda matrix: matrix["test"].update(images=IMAGES, dockerfile="docker/test.Dockerfile"))
    return script


@pytest.fixture
def contained(library, engine, bases):
    """The same in containers: built on bookworm, each Python tested where it is the distribution's own."""
    library.environment |= engine.added()

    def change(matrix):
        matrix["axes"]["python"] = ["3.9", "3.11"]
        matrix["environment"] |= {
            "container": {"dockerfile": "docker/builder.Dockerfile", "base": "debian:bookworm"},
            "mirrors": {f"debian:{suite}": base for suite, base in bases.items()},
        }
        matrix["build"]["with"] = "cp311-{glibc}"
        matrix["overrides"] = [
            {
                "when": {"python": "3.9"},
                "environment": {"container": {"dockerfile": "docker/test.Dockerfile", "base": "debian:bullseye"}},
            }
        ]

    library.edit(change)
    library.levels = ["--engine", engine.name, "--python", "venv"]
    return library


def image_tests(outcomes) -> dict[str, dict]:
    return {step.removeprefix("test:"): outcome for step, outcome in outcomes.items() if "@" in step}


@pytest.mark.docker
@pytest.mark.images
def test_one_wheel_is_tested_on_each_distribution_that_has_the_variants_python(contained, engine):
    outcomes = contained.report("release", "matrix.yaml", "-s", "glibc=old", *contained.levels)
    on_images = image_tests(outcomes)
    ran = {step for step, outcome in on_images.items() if (outcome["state"], outcome.get("evidence")) == ("done", "ran")}
    assert ran == {"cp39-old@debian-bullseye", "cp311-old@debian-bookworm"}
    skipped = {step: outcome["reason"] for step, outcome in on_images.items() if outcome["state"] == "skipped"}
    assert set(skipped) == {"cp39-old@debian-bookworm", "cp311-old@debian-bullseye"}
    assert skipped["cp311-old@debian-bullseye"] == "`debian:bullseye` has Python 3.9.2, the variant is for 3.11"
    assert outcomes["publish:index"]["state"] == "done"
    assert engine.containers() == []
    short = contained.git("rev-parse", "--short=7", "HEAD").strip()
    tags = engine.call("images", "--format", "{{.Repository}}:{{.Tag}}").stdout
    assert f"pinwheel:main-{short}-test-debian-bullseye" in tags

    again = contained.report("test", "matrix.yaml", "-s", "glibc=old", *contained.levels)
    assert {outcome["state"] for step, outcome in again.items() if step.removeprefix("test:") in ran} == {"reused"}


@pytest.mark.docker
@pytest.mark.images
@pytest.mark.takes(120)
def test_jobs_in_containers_publish_the_bytes_of_one_machine(contained, engine, tmp_path):
    chosen = ("-s", "glibc=old", *contained.levels)
    one = contained.report("release", "matrix.yaml", *chosen)
    jobs = Jobs(contained, tmp_path / "jobs", options=chosen)
    rows = {row["step"]: row["needs"] for row in jobs.rows("test")}
    assert set(image_tests(rows)) == set(image_tests(one)) and len(rows) == 6
    outcomes, artifacts = jobs.make_all()
    last = jobs.finish(*artifacts)
    assert digests(last.index) == digests(contained.index)
    outcomes |= {"publish:index": last.published["publish:index"]}
    assert {step: comparable(outcome) for step, outcome in outcomes.items()} == {
        step: comparable(outcome) for step, outcome in one.items()
    }
    assert engine.containers() == []


@pytest.mark.docker
@pytest.mark.images
def test_a_wheel_that_needs_a_newer_glibc_fails_on_the_old_distribution_and_says_why(contained):
    ran = contained.run("release", "matrix.yaml", "-s", "glibc=new", *contained.levels, "-k", code=5)
    assert "cannot be loaded in `debian:bullseye`, which has glibc 2.31" in ran.stderr
    assert "`answer/libanswer.so` needs `GLIBC_2.34` of `libc.so.6`" in ran.stderr
    assert "test.images" in ran.stderr
    on_bookworm = [each["finished"] for each in contained.journal() if "@debian-bookworm" in str(each.get("finished"))]
    assert {each["id"]: each["state"] for each in on_bookworm}["test:cp311-new@debian-bookworm"] == "done"
    assert not contained.index.exists()


@pytest.mark.docker
@pytest.mark.images
def test_images_have_neither_a_compiler_nor_conda(contained, engine):
    absent = "import shutil; found = [shutil.which(name) for name in ('cc', 'gcc', 'c++', 'make', 'conda')]; "
    contained.edit(lambda matrix: matrix["test"].update(command=["python", "-c", absent + "assert not any(found), found"]))
    only = ["--only", "cp311-old", *contained.levels, "-k"]
    outcomes = contained.report("test", "matrix.yaml", *only, code=1)
    assert outcomes["test:cp311-old"]["state"] == "failed"  # the build image does have a compiler
    assert outcomes["test:cp311-old@debian-bookworm"]["state"] == "done"


def test_without_an_engine_the_tests_are_skipped_and_nothing_is_published(library):
    outcomes = library.report("test", "matrix.yaml", "-s", "glibc=old")
    assert outcomes[f"test:{OLD}"]["evidence"] == "ran"
    for image in ("debian-bookworm", "debian-bullseye"):
        outcome = outcomes[f"test:{OLD}@{image}"]
        assert (outcome["state"], outcome.get("evidence")) == ("skipped", None)
        assert "--engine docker" in outcome["reason"]
    refused = library.run("release", "matrix.yaml", "-s", "glibc=old", code=5)
    assert f"`test:{OLD}@debian-bullseye` has evidence `none`" in refused.stderr
    assert not library.index.exists()
    one = ["--accept", f"{OLD}@debian-bookworm=no engine on this machine"]
    refused = library.run("release", "matrix.yaml", "-s", "glibc=old", *one, code=5)
    assert "@debian-bookworm` has evidence" not in refused.stderr
    library.run("release", "matrix.yaml", "-s", "glibc=old", "--accept", f"{OLD}=no engine on this machine")
    assert list(library.index.rglob("*.whl"))


def test_the_plan_shows_where_each_wheel_is_tested(library):
    shown = library.run("plan", "matrix.yaml").stdout
    assert "tested on" in shown and "debian:bookworm,debian:bullseye" in shown
    assert "2 variants, 2 builds, 2 tests and 4 on images" in shown
    assert f"test:{NEW}@debian-bullseye" in library.run("plan", "matrix.yaml", "--format", "dot").stdout
    dry = library.run("test", "matrix.yaml", "--only", OLD, "--dry-run").stdout
    assert f"# test:{OLD}@debian-bullseye\n# skipped: `debian:bullseye` needs a container engine" in dry
