"""Indexes that `index check` audits: pages made by hand, and a server of files that counts what is read whole."""

import collections
import contextlib
import dataclasses
import hashlib
import http.server
import io
import re
import threading
import zipfile
from collections.abc import Iterator

from loopback import running

JSON = "application/vnd.pypi.simple.v1+json"
HTML = "text/html"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def metadata_of(name: str, version: str, python: str = ">=3.9") -> bytes:
    requires = f"Requires-Python: {python}\n" if python else ""
    return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}".encode()


def wheel_bytes(filename: str, metadata: bytes | None = None, python: str = ">=3.9") -> bytes:
    """A wheel whose one module says which file it came from."""
    name, version, *_ = filename.removesuffix(".whl").split("-")
    tags = filename.removesuffix(".whl").split("-")[-3:]
    info = f"{name}-{version}.dist-info"
    pure = "true" if tags[2] == "any" else "false"
    wheel = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: {pure}\nTag: {'-'.join(tags)}\n"
    members = {
        f"{name}.py": f"FILE = {filename!r}\n".encode(),
        f"{info}/METADATA": metadata or metadata_of(name, version, python),
        f"{info}/WHEEL": wheel.encode(),
    }
    members[f"{info}/RECORD"] = "".join(f"{member},,\n" for member in [*members, f"{info}/RECORD"]).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, text in members.items():
            archive.writestr(zipfile.ZipInfo(member), text)
    return out.getvalue()


@dataclasses.dataclass
class Reply:
    body: bytes = b""
    kind: str = "application/octet-stream"
    status: int = 200
    location: str = ""


@dataclasses.dataclass
class FileServer:
    """Serves replies by path, JSON pages at `PATH?json` to those who accept them, and parts of files."""

    url: str = ""
    replies: dict[str, Reply] = dataclasses.field(default_factory=dict)
    whole: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # reads of all bytes, by path
    held: str = ""  # a path that is not answered when all of it is asked for
    reached: threading.Event = dataclasses.field(default_factory=threading.Event)  # `held` was asked for
    released: threading.Event = dataclasses.field(default_factory=threading.Event)

    def page(self, path: str, html: str, json: str = "") -> None:
        self.replies[path] = Reply(html.encode(), HTML)
        if json:
            self.replies[path + "?json"] = Reply(json.encode(), JSON)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    files: FileServer

    def do_GET(self) -> None:
        files = self.files
        reply = files.replies.get(self.path, Reply(status=404))
        if JSON in self.headers.get("Accept", "") and self.path + "?json" in files.replies:
            reply = files.replies[self.path + "?json"]
        part = re.fullmatch(r"bytes=(\d*)-(\d+)", self.headers.get("Range", ""))
        if part is None and reply.status == 200 and not reply.kind.startswith(HTML):
            files.whole[self.path] += 1
            if self.path == files.held:
                files.reached.set()
                files.released.wait()
        first, last = 0, len(reply.body) - 1
        if part and part[1]:
            first, last = int(part[1]), min(int(part[2]), last)
        elif part:
            first = max(0, len(reply.body) - int(part[2]))
        status = 206 if part and reply.status == 200 and first <= last else reply.status
        body = reply.body[first : last + 1] if status == 206 else reply.body
        self.send_response(status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(body)))
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(reply.body)}")
        if reply.location:
            self.send_header("Location", reply.location)
        self.end_headers()
        with contextlib.suppress(OSError):  # a client that has seen enough, or was killed
            self.wfile.write(body)

    def log_message(self, *arguments) -> None:
        pass


@contextlib.contextmanager
def file_server() -> Iterator[FileServer]:
    files = FileServer()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("FilesHandler", (Handler,), {"files": files}))
    files.url = f"http://127.0.0.1:{server.server_port}"
    with running(server):
        try:
            yield files
        finally:
            files.released.set()
