"""The record of long tiers, and the digest of what they are about."""

import json
import subprocess
from types import SimpleNamespace

import last_run
import pytest
from last_run import as_text, digest, fits, with_run
from tier_recorder import TierRecorder

RUN = {"trees": "abc", "date": "2026-01-02", "passed": 3, "skipped": 0, "minutes": 1.5}


@pytest.fixture
def tree(tmp_path):
    """A repository with the trees, and another file."""
    for name in ("kernels/a.cpp", "kernels/deep/b.h", "docker/install", "tools/c.cc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / ".gitignore").write_text("/kernels/build/\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    return tmp_path


def test_the_digest_changes_with_what_is_in_the_trees_committed_or_not(tree):
    seen = {digest(tree)}
    (tree / "kernels/a.cpp").write_text("other")
    seen.add(digest(tree))
    (tree / "docker/new").write_text("unknown to git")
    seen.add(digest(tree))
    (tree / "docker/install").chmod(0o755)
    seen.add(digest(tree))
    (tree / "kernels/deep/b.h").rename(tree / "kernels/deep/c.h")
    seen.add(digest(tree))
    assert len(seen) == 5


def test_the_digest_is_of_nothing_else(tree):
    before = digest(tree)
    (tree / "tools/c.cc").write_text("other")
    (tree / "kernels/build").mkdir()
    (tree / "kernels/build/made").write_text("ignored")
    assert digest(tree) == before


def test_a_run_fits_its_own_trees_only():
    assert fits({"whole": RUN}, "whole", "abc")
    assert not fits({"whole": RUN}, "whole", "abd")
    assert not fits({"whole": RUN}, "torch", "abc")
    assert not fits({}, "whole", "abc")


def test_a_run_that_skipped_something_does_not_fit():
    assert not fits({"whole": RUN | {"skipped": 1}}, "whole", "abc")
    assert not fits({"whole": RUN | {"passed": 0}}, "whole", "abc")


def test_a_run_takes_the_place_of_its_tiers_last_and_leaves_the_others():
    record = with_run({"torch": RUN}, "whole", "xyz", 4, 1, 90.0, "2026-02-03")
    assert list(record) == ["whole", "torch"] and record["torch"] == RUN
    assert record["whole"] == {"trees": "xyz", "date": "2026-02-03", "passed": 4, "skipped": 1, "minutes": 1.5}
    assert json.loads(as_text(record)) == record
    assert len(as_text(record).splitlines()) == 4


def report(when: str, outcome: str, *marks: str, seconds: float = 30.0):
    return SimpleNamespace(
        when=when, passed=outcome == "passed", skipped=outcome == "skipped", keywords=dict.fromkeys(marks, 1), duration=seconds
    )


def recorded(path, exitstatus: int) -> dict:
    recorder = TierRecorder(["whole", "torch"], path)
    recorder.pytest_runtest_logreport(report("setup", "passed", "whole"))
    recorder.pytest_runtest_logreport(report("call", "passed", "whole"))
    recorder.pytest_runtest_logreport(report("setup", "skipped", "whole", "docker"))
    recorder.pytest_runtest_logreport(report("call", "passed", "docker"))
    recorder.pytest_sessionfinish(exitstatus)
    return last_run.read(path)


def test_a_session_that_passed_is_recorded_by_tier(tmp_path):
    record = recorded(tmp_path / "record.json", 0)
    assert list(record) == ["whole"]
    assert (record["whole"]["passed"], record["whole"]["skipped"], record["whole"]["minutes"]) == (1, 1, 1.5)
    assert record["whole"]["trees"] == digest() and record["whole"]["date"] == last_run.today()


def test_a_session_in_which_something_failed_is_not_recorded(tmp_path):
    assert recorded(tmp_path / "record.json", 1) == {}


def test_the_committed_record_has_known_tiers_and_counts():
    for tier, line in last_run.read().items():
        assert tier in last_run.TIERS
        assert set(line) == set(RUN) and line["passed"] > 0


@pytest.mark.parametrize("tier", ["images", "stores", "slurm", "workflows", "releases", "parts"])
def test_a_tier_is_about_the_files_of_its_tests(tier):
    tests = last_run.ROOT / "tests" / "system"
    marked = [path for path in tests.glob("*_test.py") if f"pytest.mark.{tier}" in path.read_text()]
    assert marked
    assert {str(path.relative_to(last_run.ROOT)) for path in marked} <= set(last_run.TIERS[tier])
