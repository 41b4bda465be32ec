"""Index servers with requirements of their own: devpi-server, and simple-repository-server, which serves other indexes."""

import base64
import contextlib
import dataclasses
import json
import pathlib
import socket
import subprocess
import urllib.request
from collections.abc import Iterator

from processes import wait_until
from s3_server import free_port
from shared_cache import shared_venv

REQUIREMENTS = ("devpi-server==6.20.3", "simple-repository-server==0.10.0")
USER = "tester"
PASSWORD = "canary-0123456789"


def program(name: str) -> str:
    return str(shared_venv("index-servers", *REQUIREMENTS) / name)


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextlib.contextmanager
def served(command: list[str], port: int, log: pathlib.Path) -> Iterator[str]:
    """The URL of the server that the command starts on this port."""
    with open(log, "w") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_until(lambda: listens(port), server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=120)


@dataclasses.dataclass
class DevpiIndex:
    """An index of one test, to which only `USER` may upload."""

    upload: str
    log: pathlib.Path

    @property
    def simple(self) -> str:
        return self.upload + "+simple/"

    @property
    def path(self) -> str:
        return "/" + self.upload.split("/", 3)[3]

    def uploads(self) -> int:
        """How many uploads reached the server, whatever became of them."""
        return self.log.read_text().count(f" POST {self.path}")

    def page(self, project: str) -> dict[str, str]:
        """The files of a project with their SHA-256, as the server lists them."""
        request = urllib.request.Request(
            f"{self.simple}{project}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"}
        )
        with urllib.request.urlopen(request, timeout=120) as reply:
            return {file["filename"]: file["hashes"]["sha256"] for file in json.load(reply)["files"]}


@dataclasses.dataclass
class Devpi:
    url: str
    log: pathlib.Path

    def put(self, path: str, value: dict, *, as_user: bool) -> None:
        """Makes a user or an index by devpi's API."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if as_user:
            account = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
            headers["Authorization"] = f"Basic {account}"
        data = json.dumps(value).encode()
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method="PUT")
        with urllib.request.urlopen(request, timeout=120) as reply:
            assert reply.status in (200, 201)

    def make_index(self, name: str) -> DevpiIndex:
        self.put(f"/{USER}/{name}", {"type": "stage", "bases": [], "volatile": False}, as_user=True)
        return DevpiIndex(f"{self.url}/{USER}/{name}/", self.log)


@contextlib.contextmanager
def devpi_server(place: pathlib.Path) -> Iterator[Devpi]:
    """A devpi-server with one user and no index; `place` is its directory."""
    place.mkdir(parents=True)
    files = ["--serverdir", str(place / "server")]
    init = [program("devpi-init"), *files, "--no-root-pypi", "--root-passwd", PASSWORD]
    subprocess.run(init, check=True, capture_output=True, timeout=120)
    port = free_port()
    command = [program("devpi-server"), *files, "--host", "127.0.0.1", "--port", str(port)]
    with served(command, port, place / "log") as url:
        devpi = Devpi(url, place / "log")
        devpi.put(f"/{USER}", {"password": PASSWORD, "email": "t@example.org"}, as_user=False)
        yield devpi


@contextlib.contextmanager
def simple_repository(source: str, place: pathlib.Path) -> Iterator[str]:
    """The simple API of a simple-repository-server that serves a directory of files or another simple index, whose
    files it passes on; `place` is its directory."""
    place.mkdir(parents=True)
    port = free_port()
    address = ["--host", "127.0.0.1", "--port", str(port)]
    command = [program("simple-repository-server"), *address, "--stream-http-resources", source]
    with served(command, port, place / "log") as url:
        yield url + "/simple/"
