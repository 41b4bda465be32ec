"""The same commit gives the same bytes wherever, whenever and however it is built."""

import os
import stat
import time

import pytest


@pytest.fixture
def twins(project):
    """One commit in two directories whose files differ in everything that git does not record."""
    one = project("extension", "first/project")
    two = project("extension", "second-with-a-longer-name/some where/project")
    assert one.git("rev-parse", "HEAD") == two.git("rev-parse", "HEAD")
    before = time.time() - 400 * 24 * 3600
    for index, path in enumerate(sorted(two.directory.rglob("*"))):
        if ".git" in path.parts or not path.is_file():
            continue
        os.utime(path, (before + index, before + index))
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    return one, two


def test_directory_umask_time_and_job_count_do_not_change_the_bytes(twins):
    one, two = twins
    one.run("build", "matrix.yaml", "-j1")
    mask = os.umask(0o027)
    try:
        two.run("build", "matrix.yaml", "-j2", LANG="C", TZ="Asia/Tokyo")
    finally:
        os.umask(mask)
    assert len(one.wheels()) == 3
    assert one.wheels() == two.wheels()


def test_another_commit_changes_the_bytes(twins):
    one, two = twins
    source = two.directory / "src" / "tiny_ext" / "native.c"
    source.write_text(source.read_text().replace("3 *", "3L *"))
    two.commit()
    for each in (one, two):
        each.run("build", "matrix.yaml", "-s", "flavor=plain")
    assert one.wheels().keys() == two.wheels().keys()
    assert all(one.wheels()[name] != two.wheels()[name] for name in one.wheels())
