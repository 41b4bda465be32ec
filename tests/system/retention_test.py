"""How long nightlies stay in a directory index, and that pip never finds a link without its file."""

import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.parse

import pytest
from indexes import pip_install

FIRST_NIGHT = 1_780_000_000  # 2026-05-28
DAY = 86_400
NIGHTLIES = 2


@pytest.fixture
def script(project):
    """A project whose release 1.2.0 is in its index, which keeps two nightlies."""
    script = project("script")

    def change(matrix):
        matrix["axes"]["flavor"] = ["plain"]
        matrix["channels"]["nightly"] = {"version": "nightly", "publish": ["index"]}
        matrix["publish"]["index"] = {"kind": "directory", "path": "../index", "keep-nightlies": NIGHTLIES}

    script.edit(change)
    script.run("release", "matrix.yaml")
    return script


def version_of(script, number: int) -> str:
    day = time.strftime("%Y%m%d", time.gmtime(FIRST_NIGHT + number * DAY))
    return f"1.3.0.dev{day}+g{script.git('rev-parse', 'HEAD')[:7]}"


def nightly(script, number: int) -> subprocess.CompletedProcess:
    date = str(FIRST_NIGHT + number * DAY)
    return script.run("release", "matrix.yaml", "--channel", "nightly", SOURCE_DATE_EPOCH=date)


def page(script) -> dict:
    return json.loads((script.index / "script-only" / "index.json").read_text())


def assert_whole(script) -> None:
    """Each link of the page that pip reads leads to the file with its digest."""
    project = script.index / "script-only"
    links = re.findall(r'href="([^"#]+)#sha256=([0-9a-f]+)"', (project / "index.html").read_text())
    assert len(links) == len(page(script)["files"])
    for link, digest in links:
        assert hashlib.sha256((project / urllib.parse.unquote(link)).read_bytes()).hexdigest() == digest


def installed(script, directory: pathlib.Path, *what: str) -> str:
    """The version that pip installs from the index; what pip says if there is none."""
    ran = pip_install(script.index.as_uri() + "/", directory, "--upgrade", *what)
    if ran.returncode != 0:
        return ran.stderr
    (metadata,) = directory.glob("script_only-*.dist-info/METADATA")
    return re.search("^Version: (.*)$", metadata.read_text(), re.MULTILINE)[1]


def test_pip_finds_the_newest_nightlies_and_each_release(script, tmp_path):
    for number in (1, 2, 3):
        nightly(script, number)
        assert_whole(script)
    assert page(script)["versions"] == ["1.2.0", version_of(script, 2), version_of(script, 3)]
    assert installed(script, tmp_path / "newest", "--pre", "script-only") == version_of(script, 3)
    assert installed(script, tmp_path / "older", f"script-only=={version_of(script, 2)}") == version_of(script, 2)
    assert installed(script, tmp_path / "release", "script-only") == "1.2.0"
    output = installed(script, tmp_path / "retired", f"script-only=={version_of(script, 1)}")
    assert f"No matching distribution found for script-only=={version_of(script, 1)}" in output
    log = script.run("logs", "publish:index").stdout
    assert f"script_only-{version_of(script, 1)}-py3-none-any.whl is no longer listed: only the newest 2 nightlies are\n" in log


def test_a_run_that_is_killed_between_the_pages_and_the_file_is_finished_by_the_next(script, tmp_path):
    for number in (1, 2):
        nightly(script, number)
    # The page of the root lists the files of a sub-index.
    (retired,) = script.index.rglob(f"script_only-{version_of(script, 1)}-py3-none-any.whl")
    before = os.readlink(script.index)
    date = str(FIRST_NIGHT + 3 * DAY)
    running = subprocess.Popen(
        script.command("release", "matrix.yaml", "--channel", "nightly"),
        cwd=script.directory,
        env={**script.environment, "SOURCE_DATE_EPOCH": date},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while os.readlink(script.index) == before:
            assert running.poll() is None, "the run ended without a publication"
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    # The pages are new, and clients with the old ones still get their files.
    assert page(script)["versions"] == ["1.2.0", version_of(script, 2), version_of(script, 3)]
    assert_whole(script)
    assert retired.is_file()

    nightly(script, 3)
    assert_whole(script)
    nightly(script, 4)
    assert page(script)["versions"] == ["1.2.0", version_of(script, 3), version_of(script, 4)]
    assert_whole(script)
    assert not retired.exists()
    assert installed(script, tmp_path / "newest", "--pre", "script-only") == version_of(script, 4)
