"""A proxy in front of an S3 server that passes requests on as they are, signatures included, and fails where asked."""

import contextlib
import http.client
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from loopback import running

# Whatever is asked.
EVERYTHING = ("get-result", "get-blob", "head", "put-result", "put-blob", "begin", "part", "complete", "abort")
CODES = {
    "RequestTimeTooSkewed": "<RequestTime>20260102T030405Z</RequestTime><ServerTime>2026-01-02T04:05:06Z</ServerTime>",
}


@dataclass(frozen=True)
class Asked:
    """A request, and what was answered."""

    what: str
    path: str
    status: int


def operation_of(method: str, path: str) -> str:
    parts = urlsplit(path)
    query = parse_qs(parts.query, keep_blank_values=True)
    if method == "POST":
        return "begin" if "uploads" in query else "complete"
    if method in ("DELETE", "HEAD"):
        return "abort" if method == "DELETE" else "head"
    if "partNumber" in query:
        return "part"
    return f"{method.lower()}-{'result' if '/ac/' in parts.path else 'blob'}"


class Fault:
    """The faults that replace the server's answers to some requests."""

    def __init__(self, *on: str, first: int = 1):
        self.on = on
        self.first = first  # the first of them that fails
        self.seen = 0

    def concerns(self, what: str) -> bool:
        if what not in self.on:
            return False
        self.seen += 1
        return self.seen >= self.first

    def act(self, handler: "Handler") -> int:
        """Answers in place of the server. The status that the client could see; 0: none."""
        raise NotImplementedError


class Answers(Fault):
    """An error of S3, as its documentation has it."""

    def __init__(self, status: int, code: str, *on: str, first: int = 1):
        super().__init__(*on, first=first)
        self.status = status
        self.code = code

    def act(self, handler: "Handler") -> int:
        handler.receive()
        more = CODES.get(self.code, "")
        error = f"<Error><Code>{self.code}</Code><Message>No.</Message>{more}<RequestId>1</RequestId></Error>"
        handler.answer(self.status, f'<?xml version="1.0" encoding="UTF-8"?>\n{error}'.encode(), "application/xml")
        return self.status


class HangsUp(Fault):
    """The connection ends in the middle of what is sent."""

    def act(self, handler: "Handler") -> int:
        handler.rfile.read(handler.length() // 2)
        handler.close_connection = True
        return 0


class LosesAnswers(Fault):
    """The server does what is asked, the first `most` times, and the connection ends before its answer."""

    def __init__(self, most: int, *on: str):
        super().__init__(*on)
        self.most = most

    def concerns(self, what: str) -> bool:
        return super().concerns(what) and self.seen <= self.most

    def act(self, handler: "Handler") -> int:
        handler.ask()
        handler.close_connection = True
        return 0


class Changes(Fault):
    """The server's answer, of which the body becomes another: what `pieces` yields."""

    def __init__(self, pieces: Callable[[bytes], Iterator[bytes]], *on: str):
        super().__init__(*on)
        self.pieces = pieces

    def act(self, handler: "Handler") -> int:
        status, headers, body = handler.ask()
        handler.begin(status, headers, len(body))
        with contextlib.suppress(OSError):
            for piece in self.pieces(body):
                handler.wfile.write(piece)
                handler.wfile.flush()
        handler.close_connection = True
        return status


def half(body: bytes) -> Iterator[bytes]:
    yield body[: len(body) // 2]


def other_bytes(body: bytes) -> Iterator[bytes]:
    yield bytes(byte ^ 1 for byte in body)


def trickle(body: bytes) -> Iterator[bytes]:
    for byte in body:
        yield bytes([byte])
        time.sleep(0.2)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Proxy"

    def log_message(self, *_: object) -> None:
        pass

    def length(self) -> int:
        return int(self.headers.get("Content-Length", 0))

    def receive(self) -> bytes:
        return self.rfile.read(self.length())

    def ask(self) -> tuple[int, list[tuple[str, str]], bytes]:
        """The server's answer to the same request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.behind)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            connection.putheader(name, value)
        sent = self.receive()
        # moto compares an object and writes it in two steps.
        with self.server.turn:
            connection.endheaders(sent)
            response = connection.getresponse()
            body = response.read()
            connection.close()
        own = ("content-length", "connection", "transfer-encoding", "date", "server")
        headers = [(name, value) for name, value in response.getheaders() if name.lower() not in own]
        # HEAD says how long the object is.
        length = response.getheader("Content-Length")
        if self.command == "HEAD" and length is not None:
            headers.append(("Content-Length", length))
        return response.status, headers, body

    def begin(self, status: int, headers: list[tuple[str, str]], length: int) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if self.command != "HEAD" and status != 204:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def answer(self, status: int, body: bytes, kind: str) -> None:
        # An answer to HEAD has no body that could say more.
        self.begin(status, [("Content-Type", kind)], len(body))
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self) -> None:
        what = operation_of(self.command, self.path)
        with self.server.lock:
            fault = next((fault for fault in self.server.faults if fault.concerns(what)), None)
        if fault:
            status = fault.act(self)
        else:
            status, headers, body = self.ask()
            self.begin(status, headers, len(body))
            self.wfile.write(body)
        with self.server.lock:
            self.server.asked.append(Asked(what, self.path, status))

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET


class Proxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behind: int, faults: tuple[Fault, ...]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind = behind  # the port of the server
        self.faults = faults
        self.asked: list[Asked] = []
        self.lock = threading.Lock()
        self.turn = threading.Lock()  # of the request that the server answers

    def handle_error(self, *_: object) -> None:
        """Clients hang up."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def count(self, *what: str) -> int:
        return len([one for one in self.asked if one.what in what])


@contextlib.contextmanager
def failing(url: str, *faults: Fault) -> Iterator[Proxy]:
    """A proxy in front of the server at an address."""
    proxy = Proxy(urlsplit(url).port, faults)
    with running(proxy):
        yield proxy
