"""A build reaches itself, and the network only where its matrix allows it."""

import contextlib
import http.server
import shutil
import subprocess
import threading

import pytest
from conftest import PYTHON

BUILD = f"build:cp{PYTHON.replace('.', '')}-plain"

# Talks to itself, then asks the server.
SETUP = """
import socket, urllib.request
listener = socket.create_server(("127.0.0.1", 0))
socket.create_connection(listener.getsockname()).close()
print("reached itself")
print("got", urllib.request.urlopen("{address}").read())
"""


@contextlib.contextmanager
def serving():
    """A server on this machine that counts who asks it."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"a wheel")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/a-1.0.whl", asked
    finally:
        server.shutdown()


def has_namespaces() -> bool:
    own = ["unshare", "--net", "--user", "--map-root-user", "true"]
    return shutil.which("unshare") is not None and subprocess.run(own, capture_output=True).returncode == 0


@pytest.fixture
def downloading(project):
    """An extension whose setup script asks a server."""
    extension = project("extension")
    extension.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    extension.edit(lambda matrix: matrix["package"].update(sdist=False))
    with serving() as (address, asked):
        setup = extension.directory / "setup.py"
        setup.write_text(SETUP.replace("{address}", address) + setup.read_text())
        extension.commit()
        yield extension, asked


@pytest.mark.skipif(not has_namespaces(), reason="needs network namespaces")
def test_a_build_reaches_itself_and_nothing_else(downloading):
    extension, asked = downloading
    ran = extension.run("build", "matrix.yaml", code=1)
    assert asked == []
    assert "`build: {network: true}`" in ran.stderr
    log = next((extension.state / "logs").rglob("build-*.1.log")).read_text()
    assert "reached itself" in log and "got b'a wheel'" not in log
    # It is not tried again.
    assert extension.starts()[BUILD] == 1


@pytest.mark.skipif(not has_namespaces(), reason="needs network namespaces")
def test_the_build_of_the_sdist_reaches_no_more(downloading):
    extension, asked = downloading
    extension.edit(lambda matrix: matrix["package"].update(sdist=True))
    ran = extension.run("build", "matrix.yaml", "--step", "sdist", code=1)
    assert asked == []
    assert "`build: {network: true}`" in ran.stderr


@pytest.mark.parametrize("step", [BUILD, "sdist"])
def test_a_matrix_allows_it(downloading, step):
    extension, asked = downloading
    extension.edit(lambda matrix: matrix["package"].update(sdist=True))
    extension.edit(lambda matrix: matrix["build"].update(network=True))
    extension.run("build", "matrix.yaml", "--step", step)
    assert asked
