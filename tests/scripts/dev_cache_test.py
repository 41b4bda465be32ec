"""The cache that clones share for development: entries are named by contents and removed when unused."""

import os
import time
from pathlib import Path

import dev_cache
import pytest
import tidy


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return dev_cache.directory("things")


def test_an_entry_is_below_the_users_cache_and_named_by_all_its_parts(cache, tmp_path):
    assert cache == tmp_path / "pinwheel-dev" / "things" and cache.is_dir()
    assert dev_cache.key("ab", "c") != dev_cache.key("a", "bc") != dev_cache.key(b"abc")
    assert dev_cache.key("ab", b"c") == dev_cache.key("ab", "c")


def test_what_nobody_used_is_dropped_and_what_somebody_used_stays(cache):
    (cache / "old").mkdir()
    (cache / "old" / "file").touch()
    (cache / "used").touch()
    for name in ("old", "used"):
        os.utime(cache / name, (0, 0))
    assert dev_cache.use(cache / "used") and not dev_cache.use(cache / "absent")
    dev_cache.drop_unused(cache)
    assert [entry.name for entry in cache.iterdir()] == ["used"]
    assert time.time() - (cache / "used").stat().st_mtime < 60


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A function that makes a clone with a source and its header, and returns the key of the group."""

    def key(name: str, header: str = "int x();", settings: bytes = b"14") -> str:
        root = tmp_path / name
        (root / "tools" / "base").mkdir(parents=True)
        (root / "tools" / "base" / "x.h").write_text(header)
        source = root / "tools" / "base" / "x.cc"
        source.write_text('#include "base/x.h"\n')
        monkeypatch.setattr(tidy, "ROOT", root)
        return tidy.Group((f"-I{root}/tools",), (source,)).key(settings)

    return key


def test_the_mark_of_a_clean_group_fits_in_another_clone(clone):
    assert clone("one") == clone("with/a/longer/name")


def test_the_mark_of_a_clean_group_does_not_fit_what_changed(clone):
    keys = {clone("one"), clone("two", header="int y();"), clone("three", settings=b"15")}
    assert len(keys) == 3
