"""A server of results with the documented rules of bazel-remote's HTTP dialect, and faults on request.

    store_server.py [--fault NAME] [--user U --password P] [--token T] [--root DIR]

It prints `PORT n` and ends when its standard input is closed. GET /log lists the requests. Faults: `500` (every
request), `cut` (bodies of blobs stop in the middle), `wrong` (other bytes of the same length), `long` (endless), `slow`
(a byte now and then), `full` (507), `plain` (no fault, but none of the rules either: a server of plain files).
"""

import argparse
import base64
import hashlib
import json
import pathlib
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATH = re.compile(r"^/?(.*/)?(ac|cas)/([0-9a-f]{64})$")
KNOWN = {
    "outputFiles",
    "outputDirectories",
    "exitCode",
    "stdoutRaw",
    "stdoutDigest",
    "stderrDigest",
    "executionMetadata",
}
PIECE = 1 << 20
EMPTY = hashlib.sha256(b"").hexdigest()  # always there


class Objects:
    """Objects by kind and name, in memory or below a directory."""

    def __init__(self, root: str | None) -> None:
        self.root = pathlib.Path(root) if root else None
        self.held: dict[tuple[str, str], bytes] = {}

    def get(self, kind: str, name: str) -> bytes | None:
        if (kind, name) == ("cas", EMPTY):
            return b""
        if not self.root:
            return self.held.get((kind, name))
        path = self.root / kind / name
        return path.read_bytes() if path.exists() else None

    def put(self, kind: str, name: str, body: bytes) -> None:
        if not self.root:
            self.held[kind, name] = body
            return
        path = self.root / kind / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)


def parse_action(body: bytes) -> dict:
    """As Protocol Buffers read JSON: an object, of known members, 64-bit numbers as texts or numbers."""
    action = json.loads(body)
    if not isinstance(action, dict) or not set(action) <= KNOWN:
        raise ValueError("not an ActionResult")
    for file in action.get("outputFiles", []):
        if not set(file) <= {"path", "digest", "isExecutable"}:
            raise ValueError("not an OutputFile")
        int(file["digest"].get("sizeBytes", 0))
        if not re.fullmatch("[0-9a-f]{64}", file["digest"]["hash"]):
            raise ValueError("not a hash")
    return action


def encode_action(action: dict, worker: str) -> bytes:
    """Anew, with the address of who wrote it, and without what is zero."""
    files = []
    for file in action.get("outputFiles", []):
        digest = {"hash": file["digest"]["hash"]}
        if int(file["digest"].get("sizeBytes", 0)):
            digest["sizeBytes"] = str(int(file["digest"]["sizeBytes"]))
        files.append({"digest": digest, "path": file["path"]})
    return json.dumps({"executionMetadata": {"worker": worker}, "outputFiles": files}).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, status: int, body: bytes = b"", kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def is_allowed(self) -> bool:
        options = self.server.options
        given = self.headers.get("Authorization", "")
        if options.user:
            pair = f"{options.user}:{options.password}".encode()
            return given == "Basic " + base64.b64encode(pair).decode()
        return not options.token or given == f"Bearer {options.token}"

    def target(self) -> tuple[str, str] | None:
        """The kind and the name of the object, unless the request was answered."""
        with self.server.lock:
            self.server.log.append({"method": self.command, "path": self.path})
        found = PATH.match(self.path)
        if not found or not self.is_allowed() or self.server.options.fault == "500":
            if self.command == "PUT":
                self.close_connection = True
            status = 500 if self.server.options.fault == "500" else 401 if found else 400
            self.answer(status, b"no")
            return None
        return found[2], found[3]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if self.path == "/log":
            self.answer(200, json.dumps(self.server.log).encode())
            return
        if not (target := self.target()):
            return
        kind, name = target
        body = self.server.objects.get(kind, name)
        if body is None or (kind == "ac" and not self.is_complete(body)):
            self.answer(404, b"Not found")
            return
        if kind == "cas" and self.command == "GET" and self.server.options.fault:
            self.answer_badly(body)
            return
        if kind == "ac" and "json" not in self.headers.get("Accept", "") and self.server.options.fault != "plain":
            body = b"\x0a\x02pb"
        self.answer(200, body, "application/octet-stream")

    def is_complete(self, body: bytes) -> bool:
        if self.server.options.fault == "plain":
            return True
        names = [file["digest"]["hash"] for file in json.loads(body).get("outputFiles", [])]
        return all(self.server.objects.get("cas", name) is not None for name in names)

    def answer_badly(self, body: bytes) -> None:
        fault = self.server.options.fault
        if fault == "wrong":
            body = bytes(byte ^ 1 for byte in body)
        self.send_response(200)
        if fault != "long":
            self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            if fault == "cut":
                self.wfile.write(body[: len(body) // 2])
            elif fault == "long":
                while True:
                    self.wfile.write(b"x" * PIECE)
            elif fault == "slow":
                for byte in body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(3)
            else:
                self.wfile.write(body)
        except OSError:
            pass

    def do_PUT(self) -> None:
        if not (target := self.target()):
            return
        kind, name = target
        if "Content-Length" not in self.headers:
            self.close_connection = True
            self.answer(400, b"Content-Length is required")
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) < int(self.headers["Content-Length"]):
            self.close_connection = True
            return
        if self.server.options.fault == "full":
            self.answer(507, b"no space left")
            return
        if self.server.options.fault != "plain":
            if kind == "cas" and hashlib.sha256(body).hexdigest() != name:
                self.answer(400, b"the hash does not match")
                return
            try:
                body = encode_action(parse_action(body), self.client_address[0]) if kind == "ac" else body
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                self.answer(400, str(error).encode())
                return
        self.server.objects.put(kind, name, body)
        self.answer(200)

    def do_POST(self) -> None:
        self.close_connection = True
        self.answer(405)

    do_DELETE = do_POST


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.options = options
        self.objects = Objects(options.root)
        self.log: list[dict] = []
        self.lock = threading.Lock()


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("fault", "user", "password", "token", "root"):
        parser.add_argument(f"--{name}", default="")
    server = Server(parser.parse_args())
    print(f"PORT {server.server_port}", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
