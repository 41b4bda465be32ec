"""The checks of `publish` before anything is sent: sdists, and sizes by index and option."""

import io
import subprocess
import tarfile

import pytest
from publish_test import make_wheel


@pytest.mark.parametrize(
    ("lines", "files", "code"),
    [
        ("License-File: LICENSE\n", ["LICENSE"], 0),
        ("License-File: LICENSE\n", ["crates/LICENSE"], 5),
        ("License-File: LICENSE\nLicense-File: licenses/NOTICE\n", ["LICENSE"], 5),
        ("Description-Content-Type: text/html\n", [], 5),
    ],
)
@pytest.mark.parametrize("where", [("--target", "pypi"), ("--repository-url", "https://index.example.org/upload/")])
def test_an_sdist_is_checked_before_anything_is_sent(pinwheel, tmp_path, where, lines, files, code):
    wheel = make_wheel(tmp_path)
    sdist = tmp_path / "demo_ops-1.0.tar.gz"
    info = f"Metadata-Version: 2.4\nName: demo_ops\nVersion: 1.0\nLicense-Expression: MIT\n{lines}"
    with tarfile.open(sdist, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in {"PKG-INFO": info, **dict.fromkeys(files, "free")}.items():
            entry = tarfile.TarInfo(f"demo_ops-1.0/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    command = [pinwheel, "publish", str(wheel), str(sdist), "--dry-run", *where]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == code, result.stderr


@pytest.fixture
def large(tmp_path):
    """A wheel above 100 MiB, the default limit of PyPI."""
    return make_wheel(tmp_path, salt="#" + "0" * (101 << 20))


@pytest.mark.parametrize(
    ("where", "code"),
    [
        (("--repository-url", "https://index.example.org/upload/"), 0),
        (("--repository-url", "https://index.example.org/upload/", "--size-limit", "300 MB"), 0),
        (("--repository-url", "https://index.example.org/upload/", "--size-limit", "100 MB"), 5),
        (("--target", "pypi"), 5),
        (("--target", "pypi", "--size-limit", "300 MB"), 0),
        (("--target", "pypi", "--ignore", "size"), 0),
        (("--target", "pypi", "--ignore", "size", "--size-limit", "300 MB"), 2),
    ],
)
def test_the_limit_of_a_size_is_that_of_the_index_or_the_given_one(pinwheel, large, where, code):
    command = [pinwheel, "publish", str(large), "--dry-run", *where]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == code, result.stderr
    assert (result.stderr.count("limit of") == 1) == (code == 5)
