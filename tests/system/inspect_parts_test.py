"""`inspect` and `compat` of a wheel on a server read only the files that the report depends on."""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
from http.server import BaseHTTPRequestHandler

import pytest
from compiled_wheels import PLAIN, TAGS, compiled, make_wheel
from loopback import serving
from simple_server import simple_server

DATA = 1_500_000
PACKAGE = "demo_kit"
UNREAD = [f"{PACKAGE}/first.npy", f"{PACKAGE}/second.npy"]


def noise(seed: int) -> bytes:
    """Bytes that no compression makes smaller."""
    return random.Random(seed).randbytes(DATA)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> pathlib.Path:
    """A library and modules between large files that nothing depends on."""
    place = tmp_path_factory.mktemp("wheel")
    files = {
        f"{PACKAGE}/__init__.py": b"x = 1\n",
        f"{PACKAGE}/first.npy": noise(1),
        f"{PACKAGE}/_native.so": compiled(place, "native", PLAIN),
        f"{PACKAGE}/second.npy": noise(2),
    }
    return make_wheel(place, files, TAGS)


@pytest.fixture
def call(pinwheel, tmp_path, monkeypatch):
    """A function that runs pinwheel with its own directory for temporary files, which must stay empty."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess:
        environment = {**os.environ, "NO_COLOR": "1", "TMPDIR": str(temporary)}
        ran = subprocess.run([pinwheel, *arguments], capture_output=True, text=True, env=environment, timeout=300)
        assert ran.returncode == code, f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        assert list(temporary.iterdir()) == []
        return ran

    return run


def sha256(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def without_sources(report: dict) -> dict:
    """The report without what depends on where the bytes came from."""
    files = [{name: value for name, value in file.items() if name != "sha256"} for file in report["files"]]
    return {**report, "files": files, "partial": None}


@contextlib.contextmanager
def server(wheel: pathlib.Path, change=lambda handler, body, first, last: None, *, size: int = 0, account: str = ""):
    """The URL of an index with ranges whose replies for files `change` may send itself. The requests are counted."""
    body = wheel.read_bytes()
    listed = {"filename": wheel.name, "url": f"../../{wheel.name}", "hashes": {"sha256": sha256(wheel)}}
    page = json.dumps(
        {"meta": {"api-version": "1.1"}, "name": "demo-kit", "files": [{**listed, "size": size or len(body)}]}
    )
    requests: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self, status: int, content: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            given = self.headers.get("Authorization", "")
            if account and given != "Basic " + base64.b64encode(account.encode()).decode():
                return self.reply(401, b"")
            if self.path == "/simple/demo-kit/":
                return self.reply(200, page.encode(), Content_Type="application/vnd.pypi.simple.v1+json")
            if self.path != f"/{wheel.name}":
                return self.reply(404, b"")
            asked = re.fullmatch(r"bytes=(\d*)-(\d+)", self.headers.get("Range", ""))
            requests.append((self.headers.get("Range", ""), self.headers.get("If-Range", "")))
            if not asked:
                return self.reply(200, body)
            tail = not asked[1]
            first = max(0, len(body) - int(asked[2])) if tail else int(asked[1])
            last = len(body) - 1 if tail else min(int(asked[2]), len(body) - 1)
            if change(self, body, first, last) is None:
                part = f"bytes {first}-{last}/{len(body)}"
                self.reply(206, body[first : last + 1], Content_Range=part, ETag='"one"')
            return None

        def log_message(self, *_) -> None:
            pass

    with serving(Handler) as url:
        yield url, requests


def test_only_files_that_the_report_depends_on_are_fetched_from_nginx(call, wheel, tmp_path):
    root = tmp_path / "root"
    page = root / "simple" / "demo-kit" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text(f'<a href="../../{wheel.name}#sha256={sha256(wheel)}">{wheel.name}</a>')
    (root / wheel.name).write_bytes(wheel.read_bytes())
    with simple_server(root, tmp_path / "nginx") as url:
        ran = call("inspect", "demo-kit==1.0", "--index", f"{url}simple/", "--json")
        report = json.loads(ran.stdout)
        local = json.loads(call("inspect", str(wheel), "--json").stdout)
        assert without_sources(report) == without_sources(local) and local["partial"] is None
        partial = report["partial"]
        assert partial["not_read"] == UNREAD
        assert partial["not_verified"] == ["record", "archive", "odd-members", "sha256"]
        assert partial["fetched"] < DATA / 4 and partial["requests"] == 3
        assert f"{wheel.name} is the only wheel of that version" in ran.stderr
        assert re.search(r"fetched [\d.]+ KB of [\d.]+ MB in 3 requests", ran.stderr)
        unread = [file for file in report["files"] if file["sha256"] is None]
        assert [file["name"] for file in unread] == partial["not_read"]
        text = call("inspect", f"{url}{wheel.name}").stdout
        assert "hashes, headers and contents of 2 unread files" in text
        compat = json.loads(call("compat", f"{url}{wheel.name}", "--json").stdout)
        assert compat == json.loads(call("compat", str(wheel), "--json").stdout)
        page = tmp_path / "page.html"
        call("inspect", f"{url}{wheel.name}", "--html", str(page))
        assert f'"not_read":{json.dumps(UNREAD, separators=(",", ":"))}' in page.read_text()


@pytest.mark.parametrize("options", [["--whole"], ["--check"], ["--select", "record"]])
def test_all_is_downloaded_and_verified_where_every_hash_counts(call, wheel, options):
    with server(wheel) as (url, requests):
        ran = call("inspect", "demo-kit==1.0", "--index", f"{url}/simple", "--json", *options)
        assert requests == [("", "")] and json.loads(ran.stdout)["partial"] is None
        assert f"downloading {url}/{wheel.name}" in ran.stderr


def test_a_server_without_ranges_sends_the_whole_file_once(call, wheel):
    def whole(handler, body, first, last):
        handler.reply(200, body)
        return True

    with server(wheel, whole) as (url, requests):
        ran = call("inspect", f"{url}/{wheel.name}", "--json")
        assert ran.stdout == call("inspect", str(wheel), "--json").stdout
        assert "its server does not support range requests" in ran.stderr and len(requests) == 1


def test_a_file_that_changes_between_requests_is_an_error(call, wheel):
    state = {"tag": "one"}

    def changing(handler, body, first, last):
        tag, state["tag"] = state["tag"], "two"
        if handler.headers.get("If-Range", f'"{tag}"') != f'"{tag}"':
            handler.reply(200, body, ETag=f'"{tag}"')
        else:
            part = f"bytes {first}-{last}/{len(body)}"
            handler.reply(206, body[first : last + 1], Content_Range=part, ETag=f'"{tag}"')
        return True

    with server(wheel, changing) as (url, requests):
        ran = call("inspect", f"{url}/{wheel.name}", code=4)
        assert f"`{url}/{wheel.name}` changed while it was read" in ran.stderr
        assert requests[1][1] == '"one"'


def test_a_wrong_part_or_a_wrong_size_is_an_error(call, wheel):
    def shifted(handler, body, first, last):
        if last == len(body) - 1:
            return None
        handler.reply(206, body[first : last + 1], Content_Range=f"bytes {first + 1}-{last + 1}/{len(body)}")
        return True

    with server(wheel, shifted) as (url, _):
        ran = call("inspect", f"{url}/{wheel.name}", code=4)
        assert "answered with a different part than requested" in ran.stderr
    with server(wheel, size=1234) as (url, _):
        ran = call("inspect", "demo-kit==1.0", "--index", f"{url}/simple", code=5)
        assert f"has {wheel.stat().st_size} bytes, but its index says 1234" in ran.stderr


def test_a_transfer_that_ends_early_is_repeated(call, wheel):
    ended = []

    def ending(handler, body, first, last):
        if last == len(body) - 1 or ended:
            return None
        ended.append(first)
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes {first}-{last}/{len(body)}")
        handler.send_header("Content-Length", str(last - first + 1))
        handler.end_headers()
        handler.wfile.write(body[first : first + 10])
        handler.close_connection = True
        return True

    with server(wheel, ending) as (url, requests):
        report = json.loads(call("inspect", f"{url}/{wheel.name}", "--json").stdout)
        assert report["partial"]["not_read"] and ended and len(requests) == 4


def test_damage_in_a_file_that_is_read_is_found(call, wheel, tmp_path):
    damaged = tmp_path / wheel.name
    body = bytearray(wheel.read_bytes())
    body[body.index(b"_native.so") + 200] ^= 1
    damaged.write_bytes(body)
    with server(damaged) as (url, _):
        report = json.loads(call("inspect", f"{url}/{wheel.name}", "--json").stdout)
        assert {(one["rule"], one["file"]) for one in report["findings"]} >= {("archive", f"{PACKAGE}/_native.so")}


def test_credentials_of_the_index_are_used_for_its_files_and_not_shown(call, wheel):
    with server(wheel, account="reader:canary-0123456789") as (url, requests):
        index = url.replace("http://", "http://reader:canary-0123456789@") + "/simple"
        for command in ("inspect", "compat"):
            ran = call(command, "demo-kit==1.0", "--index", index, "--json", "-vv")
            assert "canary-0123456789" not in ran.stdout + ran.stderr
        assert call("inspect", "--whole", "demo-kit==1.0", "--index", index)
        assert len(requests) == 7
        call("inspect", "demo-kit==1.0", "--index", f"{url}/simple", code=2)


def test_an_index_without_a_release_is_a_usage_error(call, wheel):
    for command in ("inspect", "compat"):
        assert "`--index` is for a release" in call(command, str(wheel), "--index", "pypi", code=2).stderr


def test_modules_are_read_when_a_library_can_only_be_found_through_them(call, tmp_path):
    compiled(tmp_path, "libother", PLAIN, "-Wl,-soname,libother.so")
    module = "int demo_answer(void);\nint PyInit__native(void) { return demo_answer(); }\n"
    native = compiled(tmp_path, "_native", module, f"-L{tmp_path}", "-lother")
    files = {
        f"{PACKAGE}/__init__.py": b"",
        f"{PACKAGE}/opener.py": b"import ctypes\nctypes.CDLL('libother.so')\n",
        f"{PACKAGE}/first.npy": noise(1),
        f"{PACKAGE}/lib/libother.so": (tmp_path / "libother.so").read_bytes(),
        f"{PACKAGE}/_native.so": native,
        f"{PACKAGE}/second.npy": noise(2),
    }
    made = make_wheel(tmp_path, files, TAGS)
    with server(made) as (url, requests):
        report = json.loads(call("inspect", f"{url}/{made.name}", "--json").stdout)
        local = json.loads(call("inspect", str(made), "--json").stdout)
        assert report["findings"] == local["findings"]
        assert any(one["severity"] == "warning" and "no search path" in one["message"] for one in local["findings"])
        assert report["partial"]["not_read"] == UNREAD
