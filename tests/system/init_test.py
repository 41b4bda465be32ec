"""`init --from`: the sdist on an index, found and checked by pinwheel itself; none of its code runs."""

import hashlib
import io
import os
import subprocess
import tarfile

import pytest
import yaml
from inspect_address_test import served

BOOM = "raise SystemExit('init ran the project')\n"
MEMBERS = {
    "setup.py": f"{BOOM}from setuptools import Extension, setup\nsetup(name='demo', ext_modules=[Extension('a', ['a.c'])])\n",
    "setup.cfg": "[options]\npython_requires = >=3.12\n",
    "a.c": "#include <Python.h>\n",
}


def make_sdist(members: dict[str, str], link: str = "setup.cfg") -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for name, text in members.items():
            entry = tarfile.TarInfo(f"demo-1.0/{name}")
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
        entry = tarfile.TarInfo("demo-1.0/link")
        entry.type, entry.linkname = tarfile.SYMTYPE, link
        tar.addfile(entry)
    return archive.getvalue()


@pytest.fixture
def init(pinwheel, tmp_path):
    """A function that runs `init` against an index of one sdist, whose page has this digest or the right one."""

    def run(*arguments: str, digest: str = "", link: str = "setup.cfg") -> subprocess.CompletedProcess:
        sdist = make_sdist(MEMBERS, link)
        digest = digest or hashlib.sha256(sdist).hexdigest()
        page = f'<a href="../../demo-1.0.tar.gz#sha256={digest}">demo-1.0.tar.gz</a>'
        with served({"simple/demo/": page.encode(), "demo-1.0.tar.gz": sdist}) as url:
            environment = {**os.environ, "PIP_INDEX_URL": f"{url}/simple", "PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
            return subprocess.run(
                [pinwheel, "init", *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True
            )

    return run


def test_the_matrix_of_an_sdist_names_it_as_the_requirement(init, tmp_path, pinwheel):
    ran = init("--from", "Demo==1.0.0")
    assert ran.returncode == 0, ran.stderr
    matrix = yaml.safe_load((tmp_path / "matrix" / "demo.yaml").read_text())
    assert matrix["package"] == {"name": "Demo", "requirement": "Demo==1.0.0"}
    assert matrix["axes"]["python"] == ["3.12", "3.13", "3.14", "3.15"]
    assert matrix["abi"]["python"] == "version"
    # No half of a download is left.
    assert [path.name for path in (tmp_path / "cache" / "sdists").iterdir() if path.suffix not in ("", ".lock", ".uses")] == []
    planned = subprocess.run([pinwheel, "plan", "--format", "ids"], cwd=tmp_path, capture_output=True, text=True)
    assert planned.stdout.split() == ["cp312", "cp313", "cp314", "cp315"], planned.stderr


def test_an_sdist_with_another_digest_is_refused(init, tmp_path):
    ran = init("--from", "demo==1.0", digest="0" * 64)
    assert ran.returncode == 5
    assert "`demo-1.0.tar.gz` has the sha256" in ran.stderr
    assert not (tmp_path / "matrix").exists()


def test_a_link_out_of_the_sdist_is_refused(init, tmp_path):
    ran = init("--from", "demo==1.0", link="/etc/passwd")
    assert ran.returncode == 5
    assert "the link `demo-1.0/link` points outside the sdist" in ran.stderr
    assert not (tmp_path / "matrix").exists()


def test_a_release_that_the_index_lacks_is_reported(init):
    ran = init("--from", "demo==2.0")
    assert ran.returncode == 2
    assert "`demo` 2.0 has no sdist" in ran.stderr
    assert "1.0" in ran.stderr.splitlines()[-1]
    ran = init("--from", "other==1")
    assert ran.returncode == 2
    assert "`other` 1 has no sdist" in ran.stderr
