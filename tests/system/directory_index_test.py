"""What pip and uv make of the pages of a directory index: upload times and yanked versions."""

import datetime
import functools
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request

import pytest
from indexes import pip_install
from loopback import serving
from simple_server import simple_server

JSON = "application/vnd.pypi.simple.v1+json"
SECOND = datetime.timedelta(seconds=1)


@pytest.fixture(scope="module")
def released(make_project, tmp_path_factory):
    """A project whose releases 1.2.0 and 1.3.0 are in its index, with a sub-index for each flavor. No test changes it."""
    script = make_project("script", tmp_path_factory.mktemp("released") / "project")
    script.run("release", "matrix.yaml")
    script.git("commit", "-q", "--allow-empty", "-m", "change")
    script.git("tag", "v1.3.0")
    script.run("release", "matrix.yaml")
    return script


@pytest.fixture
def script(released, tmp_path):
    """The same with an index of its own: the link and its generations."""
    script = released
    before = script.index
    script.index = tmp_path / "index"
    shutil.copytree(before.parent / ".index.generations", tmp_path / ".index.generations")
    script.index.symlink_to(before.readlink())
    yield script
    script.index = before


@pytest.fixture(params=["nginx", "files alone"])
def url(request, script, tmp_path):
    """The URL of the index: with pages in JSON, or from a server that knows only files."""
    if request.param == "nginx":
        with simple_server(script.index, tmp_path / "nginx") as url:
            yield url
    else:
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(script.index))
        with serving(handler) as url:
            yield url + "/"


def page_of(script, place: str = "") -> dict:
    return json.loads((script.index / place / "script-only" / "index.json").read_text())


def files_of(script, place: str = "") -> dict[str, dict]:
    return {file["filename"]: file for file in page_of(script, place)["files"]}


def time_of(script, version: str) -> datetime.datetime:
    (text,) = {file["upload-time"] for name, file in files_of(script).items() if f"-{version}+" in name}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", text)
    return datetime.datetime.fromisoformat(text)


def version_in(directory: pathlib.Path) -> str:
    (metadata,) = directory.glob("script_only-*.dist-info/METADATA")
    return re.search("^Version: (.*)$", metadata.read_text(), re.MULTILINE)[1].partition("+")[0]


def by_uv(url: str, tmp_path: pathlib.Path, *what: str) -> tuple[str, str]:
    """The version that uv installs, if it does, and what it says."""
    place = tmp_path / f"uv-{len(list(tmp_path.iterdir()))}"
    uv = [sys.executable, "-m", "uv", "--no-config", "--no-cache", "pip", "install"]
    where = ["--index-url", url, "--target", str(place), "--python", sys.executable]
    ran = subprocess.run([*uv, *where, *what], capture_output=True, text=True)
    return (version_in(place) if ran.returncode == 0 else ""), ran.stderr


def by_pip(url: str, tmp_path: pathlib.Path, *what: str) -> tuple[str, str]:
    place = tmp_path / f"pip-{len(list(tmp_path.iterdir()))}"
    ran = pip_install(url, place, *what)
    return (version_in(place) if ran.returncode == 0 else ""), ran.stderr


def test_uv_sees_a_file_from_its_upload_time_on(script, url, tmp_path):
    for version, before in (("1.2.0", ""), ("1.3.0", "1.2.0")):
        uploaded = time_of(script, version)
        until = ["script-only", "--exclude-newer", (uploaded + SECOND).isoformat()]
        assert by_uv(url, tmp_path, *until)[0] == version
        # The two releases are more than a second apart only if the machine is slow.
        until[-1] = (uploaded - datetime.timedelta(microseconds=1)).isoformat()
        assert by_uv(url, tmp_path, *until)[0] == before


def test_pip_sees_a_file_from_its_upload_time_on(script, tmp_path):
    with simple_server(script.index, tmp_path / "nginx") as url:
        for version, before in (("1.2.0", ""), ("1.3.0", "1.2.0")):
            uploaded = time_of(script, version)
            since = (uploaded + datetime.timedelta(microseconds=1)).isoformat()
            assert by_pip(url, tmp_path, "script-only", "--uploaded-prior-to", since)[0] == version
            until = uploaded.isoformat()
            assert by_pip(url, tmp_path, "script-only", "--uploaded-prior-to", until)[0] == before


def test_the_server_of_the_documentation_gives_each_client_its_page(script, tmp_path):
    with simple_server(script.index, tmp_path / "nginx") as url:
        for accept, kind in ((JSON, JSON), ("text/html", "text/html"), ("*/*", "text/html")):
            request = urllib.request.Request(url + "script-only/", headers={"Accept": accept})
            with urllib.request.urlopen(request, timeout=10) as reply:
                assert reply.headers.get_content_type() == kind
                body = reply.read()
            if kind == JSON:
                page = json.loads(body)
                assert page["meta"]["api-version"] == "1.1"
                assert all(file["size"] > 0 and file["hashes"]["sha256"] for file in page["files"])


def test_an_identical_publication_changes_no_page(released):
    before = {path: path.read_bytes() for path in released.index.rglob("index.*")}
    link = released.index.readlink()
    assert len(before) == 12
    released.start_afresh()
    assert released.report("release", "matrix.yaml")["publish:index"]["state"] == "done"
    assert released.index.readlink() == link
    assert {path: path.read_bytes() for path in released.index.rglob("index.*")} == before


class TestYank:
    def test_installers_skip_a_yanked_version_unless_it_is_pinned(self, script, url, tmp_path):
        for install in (by_pip, by_uv):
            assert install(url, tmp_path, "script-only")[0] == "1.3.0"
        reason = 'wrong "sums" on sm_120, see <#12>'
        ran = script.run("index", "yank", str(script.index), "script_only==1.3.0", "--reason", reason)
        names = [name for name in files_of(script) if "-1.3.0" in name]
        assert all(f"{name} yanked\n" in ran.stdout for name in names)
        for install in (by_pip, by_uv):
            assert install(url, tmp_path, "script-only")[0] == "1.2.0"
            assert install(url, tmp_path, "script-only>=1.2")[0] == "1.2.0"
            assert install(url, tmp_path, "script-only>=1.3")[0] == ""
            version, said = install(url, tmp_path, "script-only==1.3.0+plain")
            assert version == "1.3.0" and reason in said
        # For pip the public version is a pin; uv wants the local version too.
        assert by_pip(url, tmp_path, "script-only==1.3.0")[0] == "1.3.0"
        assert by_uv(url, tmp_path, "script-only==1.3.0")[0] == ""
        script.run("index", "yank", str(script.index), "script-only==1.3.0", "--undo")
        for install in (by_pip, by_uv):
            assert install(url, tmp_path, "script-only")[0] == "1.3.0"

    def test_every_sub_index_has_the_status_and_the_rest_is_unchanged(self, script):
        places = ["", "plain", "loud"]
        before = {place: page_of(script, place) for place in places}
        script.run("index", "yank", str(script.index), "script-only==1.3.0")
        for place in places:
            page = page_of(script, place)
            yanked = [file for file in page["files"] if file.pop("yanked", False) is True]
            assert yanked and all("-1.3.0" in file["filename"] for file in yanked)
            assert page == before[place]

    def test_yanking_again_writes_nothing_and_says_so(self, script):
        command = ["index", "yank", str(script.index), "script-only==1.3.0", "--reason", "old", "--json"]
        first = json.loads(script.run(*command).stdout)
        assert first["schema"] == "pinwheel-index-yank/1" and first["yanked"] is True
        assert first["version"] == "script-only==1.3.0" and all(file["changed"] for file in first["files"])
        link = script.index.readlink()
        again = json.loads(script.run(*command).stdout)
        assert [file["file"] for file in again["files"]] == [file["file"] for file in first["files"]]
        assert not any(file["changed"] for file in again["files"])
        assert script.index.readlink() == link

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["script-only==9.9"], 3, "the index has no file of `script-only==9.9`"),
            (["script-only>=1.3"], 2, "`script-only>=1.3` is not one version of a project"),
            (["script-only==1.3.0", "--reason", "two\nlines"], 2, "is not one line of text"),
            (["script-only==1.3.0", "--reason", "x", "--undo"], 2, "--undo"),
        ],
    )
    def test_a_wrong_request_changes_nothing(self, script, arguments, code, message):
        link = script.index.readlink()
        ran = script.run("index", "yank", str(script.index), *arguments, code=code)
        assert message in ran.stderr
        assert script.index.readlink() == link

    def test_only_an_index_of_pinwheel_is_changed(self, script, tmp_path):
        (tmp_path / "other" / "script-only").mkdir(parents=True)
        for directory in ("other", "missing"):
            ran = script.run("index", "yank", str(tmp_path / directory), "script-only==1.3.0", code=2)
            assert "is not a p" in ran.stderr
        assert not (tmp_path / ".other.generations").exists() and not (tmp_path / ".missing.generations").exists()
