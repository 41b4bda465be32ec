"""`inspect` and `compat` of a wheel on a web server."""

import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
from http.server import BaseHTTPRequestHandler

import pytest
from loopback import serving
from made_wheels import make_wheel


@pytest.fixture
def wheel(tmp_path) -> pathlib.Path:
    return make_wheel(tmp_path, "demo", "1.0")


@pytest.fixture
def call(pinwheel, tmp_path):
    """A function that runs pinwheel with its own directory for temporary files, which must stay empty."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess:
        environment = {**os.environ, "NO_COLOR": "1", "TMPDIR": str(temporary)}
        ran = subprocess.run([pinwheel, *arguments], capture_output=True, text=True, env=environment)
        assert ran.returncode == code, f"exit {ran.returncode}, not {code}\n{ran.stdout}\n{ran.stderr}"
        assert list(temporary.iterdir()) == []
        return ran

    return run


@contextlib.contextmanager
def served(files: dict[str, bytes], shorter: int = 0, content_type: str = ""):
    """The URL of a server that serves these files, each truncated by that many bytes."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = files.get(self.path.lstrip("/"))
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            if content_type:
                self.send_header("Content-Type", content_type)
            self.end_headers()
            self.wfile.write((body or b"")[: len(body or b"") - shorter])

        def log_message(self, *arguments) -> None:
            pass

    with serving(Handler) as url:
        yield url


def test_a_wheel_on_a_server_is_inspected_like_the_file(call, wheel):
    with served({wheel.name: wheel.read_bytes()}) as url:
        address = f"{url}/{wheel.name}#sha256={hashlib.sha256(wheel.read_bytes()).hexdigest()}"
        ran = call("inspect", address, "--json")
        assert ran.stdout == call("inspect", str(wheel), "--json").stdout
        assert f"downloading {url}/{wheel.name}" in ran.stderr
        assert json.loads(call("compat", address, "--json").stdout)["wheel"] == wheel.name
        assert "the same" in call("inspect", address, str(wheel)).stdout


@pytest.mark.parametrize(
    "path, code, message",
    [
        ("demo-1.0-py3-none-any.whl#sha256=" + "0" * 64, 5, "its URL says 000"),
        ("other-1.0-py3-none-any.whl", 2, "answered 404"),
        ("page-1.0-py3-none-any.whl", 5, "cannot be inspected"),
        ("demo-1.0.tar.gz", 2, "is not the URL of a wheel"),
    ],
)
def test_a_download_that_is_not_the_wheel_is_refused(call, wheel, path, code, message):
    with served({wheel.name: wheel.read_bytes(), "page-1.0-py3-none-any.whl": b"<html>sign in</html>"}) as url:
        assert message in call("inspect", f"{url}/{path}", code=code).stderr


def test_no_message_has_the_signature_that_a_redirect_adds(call, wheel):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            moved = "?" not in self.path
            self.send_response(302 if moved else 404)
            if moved:
                self.send_header("Location", f"{self.path}?X-Amz-Signature=0123456789abcdef")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with serving(Handler) as url:
        for arguments in (["inspect"], ["inspect", "--json"], ["-vv", "compat"]):
            ran = call(*arguments, f"{url}/{wheel.name}", code=2)
            assert f"`{url}/{wheel.name}?***` answered 404" in ran.stderr
            assert "0123456789abcdef" not in ran.stdout + ran.stderr


def test_a_truncated_wheel_is_not_a_wheel(call, wheel):
    with served({wheel.name: wheel.read_bytes()}, shorter=100) as url:
        assert "error: " in call("inspect", f"{url}/{wheel.name}", code=4).stderr


def test_plain_http_from_another_machine_is_refused(call):
    assert "is not an https address" in call("inspect", "http://a.invalid/demo-1.0-py3-none-any.whl", code=2).stderr


def test_a_pinned_release_is_found_on_the_index_and_inspected_like_the_file(call, wheel, monkeypatch):
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    page = f'<a href="../../{wheel.name}#sha256={digest}">{wheel.name}</a>'
    with served({wheel.name: wheel.read_bytes(), "simple/demo/": page.encode()}, content_type="text/html") as url:
        monkeypatch.setenv("PIP_INDEX_URL", f"{url}/simple")
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        ran = call("inspect", "Demo==1.0", "--json")
        assert ran.stdout == call("inspect", str(wheel), "--json").stdout
        assert json.loads(call("compat", "demo==1.0.0", "--json").stdout)["wheel"] == wheel.name
        assert "`demo` 2.0 has no wheel for Linux" in call("inspect", "demo==2.0", code=2).stderr


def test_a_pinned_release_whose_hash_differs_from_its_index_is_refused(call, wheel, monkeypatch):
    page = f'<a href="../../{wheel.name}#sha256={"0" * 64}">{wheel.name}</a>'
    with served({wheel.name: wheel.read_bytes(), "simple/demo/": page.encode()}, content_type="text/html") as url:
        monkeypatch.setenv("PIP_INDEX_URL", f"{url}/simple")
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        assert "its URL says 000" in call("inspect", "demo==1.0", code=5).stderr
