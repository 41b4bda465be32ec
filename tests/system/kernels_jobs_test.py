"""The quickstart and a CUDA class as one release over many jobs, each with its own environment and torch."""

import pathlib
import shutil

import pytest
from conftest import Project, digests, outcomes_of
from jobs import Jobs, comparable, comparable_run
from kernels_checkout import kernels_checkout

MATRICES = pathlib.Path(__file__).parent / "matrices"


@pytest.fixture
def kernels(pinwheel, shared, root, tmp_path):
    """A function that makes a repository of the bundled library with a matrix, `matrix/matrix.yaml`."""

    def make(text: str) -> Project:
        return kernels_checkout(pinwheel, shared, root, tmp_path, text)

    return make


def assert_jobs_publish_the_same(one: Project, place: pathlib.Path) -> None:
    jobs = Jobs(one, place, "matrix/matrix.yaml", "index")
    jobs.own_caches = True
    outcomes, artifacts = jobs.make_all()
    last = jobs.finish(*artifacts)
    whole_run = one.whole_report("release", "--plan", str(jobs.plan))
    alone = outcomes_of(whole_run)
    assert digests(last.index) == digests(one.index)
    assert last.wheels() == one.wheels()
    outcomes |= {"publish:index": last.published["publish:index"]}
    assert {step: comparable(outcome) for step, outcome in outcomes.items()} == {
        step: comparable(outcome) for step, outcome in alone.items()
    }
    assert comparable_run(last.whole_run) == comparable_run(whole_run)


@pytest.mark.torch
@pytest.mark.takes(500)
def test_the_jobs_of_the_quickstart_publish_the_bytes_of_one_machine(kernels, root, tmp_path):
    text = (root / "matrix" / "quickstart.yaml").read_text()
    assert "path: ../dist/index" in text
    one = kernels(text.replace("path: ../dist/index", "path: ../index"))
    assert_jobs_publish_the_same(one, tmp_path / "jobs")


@pytest.mark.torch
@pytest.mark.takes(300)
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")
def test_the_jobs_of_a_cuda_class_publish_the_bytes_of_one_machine(kernels, tmp_path):
    text = (MATRICES / "kernels-cuda.yaml").read_text()
    changes = {
        "source: ../../../kernels": "source: ../kernels",
        "path: ../../../dist/never": "path: ../index",
        # The version of a tag.
        "  ci: {publish: [index]}": "  release: {publish: [index]}",
        # A torch for the CPU loads no library for CUDA.
        "require: {default: ran}": "require: {default: inspected}",
        "environment:\n": "environment:\n  variables: {PINWHEEL_FLAVOR: 'cumsum,jagged,quantize'}\n",
    }
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    # Where no runner is named, a test that needs a GPU has no job.
    text += 'ci: {runners: {test: {"cuda/*": here}}}\n'
    assert_jobs_publish_the_same(kernels(text), tmp_path / "jobs")
