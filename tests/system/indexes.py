"""Package indexes for tests: a real pypiserver, and the fake that fails on demand."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

FAKE = pathlib.Path(__file__).parent.parent / "fakes" / "index_server.py"


@contextlib.contextmanager
def fake_index(*options):
    """The URL of a fake index started with these options."""
    command = [sys.executable, str(FAKE), *options]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield "http://127.0.0.1:" + server.stdout.readline().split()[1]
    finally:
        server.stdin.close()
        server.wait(timeout=10)
        server.stdout.close()


def log_of(url):
    """The uploads to a fake index, in order."""
    with urllib.request.urlopen(url + "/log", timeout=10) as reply:
        return json.load(reply)


def names_of(log):
    return [value["filename"] for entry in log for name, value in entry["fields"] if name == "content"]


def wait_for_answer(url, server):
    for _ in range(150):
        assert server.poll() is None, "pypiserver ended"
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    raise AssertionError("pypiserver does not answer")


@contextlib.contextmanager
def real_index(packages, *options):
    """The URL of a pypiserver that stores its files in the directory and needs no credentials."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "pypiserver", "run", "-i", "127.0.0.1", "-p", str(port), "-P", ".", "-a", "."]
    server = subprocess.Popen([*command, *options, str(packages)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for_answer(url + "/packages/", server)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=10)


@contextlib.contextmanager
def empty_index(packages):
    """A new directory and the upload URL of a pypiserver that stores its files there."""
    packages.mkdir()
    with real_index(packages) as url:
        yield packages, url + "/"


def pip_install(simple, place, *what, python=sys.executable):
    """The output of a pip that installs only from this simple index into a directory."""
    where = ["--index-url", simple, "--target", str(place), "--no-cache-dir"]
    pip = [str(python), "-m", "pip", "install", "-q", "--isolated", "--disable-pip-version-check"]
    environment = {**os.environ, "PIP_CONFIG_FILE": os.devnull}
    return subprocess.run([*pip, *where, *what], capture_output=True, text=True, env=environment)


def pip_installs(simple, place, *what, python=sys.executable):
    """Installs from this simple index alone into a directory."""
    result = pip_install(simple, place, *what, python=python)
    assert result.returncode == 0, result.stdout + result.stderr
