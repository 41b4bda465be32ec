#!/usr/bin/env python3
"""Measures `publish` against `twine upload` and `uv publish` with the same wheels and the same index.

The index is a server of this script's own, with a process for each connection. It accepts the upload form of PyPI in
any number of connections at once, hashes each file while it arrives and rejects one whose hash is not that of the form,
stores nothing but names and hashes, and has the pages of a simple index with them. Two things are simulated, because
over loopback every client only waits for processors: the server reads each connection at no more than `--speed`, and
answers each request `--latency` later. Nothing else is: no TLS, no loss, no time to store a file. `--speed 0` does not
limit connections.

The wheels contain random bytes and are stored. The three take turns. Memory is the peak of the process itself. Nothing
is asserted.
"""

import base64
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import socket
import socketserver
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

from bench import arguments, circumstances, own_environment

PIECE = 1 << 20
NAME = "large_upload"


def make_wheel(place: pathlib.Path, tag: str, megabytes: int) -> pathlib.Path:
    """A valid wheel with that much random data, made in pieces: the peak memory of a process that this one starts is
    at least the memory that this one has."""
    info = f"{NAME}-1.0.dist-info"
    small = {
        f"{NAME}/__init__.py": b"",
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: large-upload\nVersion: 1.0\nSummary: measured\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
    }
    lines = []

    def record(name: str, digest: bytes, size: int) -> None:
        lines.append(f"{name},sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()},{size}\n")

    wheel = place / f"{NAME}-1.0-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        digest = hashlib.sha256()
        with archive.open(zipfile.ZipInfo(f"{NAME}/data.bin"), "w") as member:
            for _ in range(megabytes):
                piece = os.urandom(PIECE)
                digest.update(piece)
                member.write(piece)
        record(f"{NAME}/data.bin", digest.digest(), megabytes * PIECE)
        for name, contents in small.items():
            archive.writestr(name, contents)
            record(name, hashlib.sha256(contents).digest(), len(contents))
        archive.writestr(f"{info}/RECORD", "".join(lines) + f"{info}/RECORD,,\n")
    return wheel


class Body:
    """The body of a request, read no faster than the connection's speed."""

    def __init__(self, stream, length: int, speed: float):
        self.stream, self.left, self.speed = stream, length, speed
        self.begun, self.read_bytes = time.monotonic(), 0

    def read(self) -> bytes:
        piece = self.stream.read1(min(PIECE // 4, self.left))
        self.left -= len(piece)
        self.read_bytes += len(piece)
        if self.speed > 0:
            ahead = self.read_bytes / self.speed - (time.monotonic() - self.begun)
            if ahead > 0:
                time.sleep(ahead)
        return piece


class Index(http.server.BaseHTTPRequestHandler):
    """Uploads, and the page of the project."""

    protocol_version = "HTTP/1.1"
    # Files of one upload: name and hash, because each connection has its own process.
    accepted: pathlib.Path
    speed = 0.0
    latency = 0.0

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, status: int, body: bytes, kind: str = "text/plain") -> None:
        time.sleep(self.latency)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        files = [json.loads(path.read_text()) for path in sorted(self.accepted.iterdir())]
        if not files:
            self.answer(404, b"")
            return
        page = {"meta": {"api-version": "1.0"}, "name": "large-upload", "files": files}
        self.answer(200, json.dumps(page).encode(), "application/vnd.pypi.simple.v1+json")

    def do_POST(self) -> None:
        body = Body(self.rfile, int(self.headers["Content-Length"]), self.speed)
        boundary = self.headers.get_boundary().encode()
        fields, filename, digest, size = read_form(body, boundary)
        if digest != fields.get("sha256_digest"):
            self.answer(400, b"the hash is not that of the file")
            return
        file = {"filename": filename, "url": filename, "hashes": {"sha256": digest}, "size": size}
        temporary = self.accepted.parent / f"{os.getpid()}.json"
        temporary.write_text(json.dumps(file))
        temporary.rename(self.accepted / filename)
        self.answer(200, b"")


def read_form(body: Body, boundary: bytes) -> tuple[dict[str, str], str, str, int]:
    """The fields, and the name, hash and size of the file, which is hashed while it arrives."""
    between = b"\r\n--" + boundary
    buffer = b"\r\n"
    fields: dict[str, str] = {}
    filename, sha256, size = "", hashlib.sha256(), 0
    in_file = False
    header = ""
    while True:
        end = buffer.find(between)
        if end < 0:
            if in_file:
                whole = max(len(buffer) - len(between), 0)
                sha256.update(buffer[:whole])
                size += whole
                buffer = buffer[whole:]
            if body.left == 0:
                raise ValueError("the form has no end")
            buffer += body.read()
            continue
        if in_file:
            sha256.update(buffer[:end])
            size += end
        elif header:
            fields[header] = buffer[:end].decode()
        buffer = buffer[end + len(between) :]
        while b"\r\n\r\n" not in buffer and body.left > 0:
            buffer += body.read()
        if buffer.startswith(b"--"):
            while body.left > 0:
                body.read()
            return fields, filename, sha256.hexdigest(), size
        head, _, buffer = buffer.partition(b"\r\n\r\n")
        line = next(line for line in head.decode().splitlines() if line.lower().startswith("content-disposition"))
        values = dict(part.strip().split("=", 1) for part in line.split(";")[1:])
        header = values["name"].strip('"')
        in_file = "filename" in values
        if in_file:
            filename = values["filename"].strip('"')


class Server(socketserver.ForkingMixIn, http.server.HTTPServer):
    """A process for each connection: threads of one Python would wait for each other."""

    request_queue_size = 64
    max_children = 64

    def server_bind(self) -> None:
        # What the kernel receives ahead of a limited connection stays small.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE // 4)
        super().server_bind()


@contextlib.contextmanager
def index(accepted: pathlib.Path, speed: float, latency: float):
    """The URL of the server."""
    accepted.mkdir(exist_ok=True)
    Index.accepted, Index.speed, Index.latency = accepted, speed, latency
    server = Server(("127.0.0.1", 0), Index)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def commands(pinwheel: str, url: str, files: list[str]) -> dict[str, list[str]]:
    """What is measured, by name. The index asks for no password, but two of the clients do."""
    login = ["--username", "bench", "--password", "bench"]
    all_commands = {
        "pinwheel": [pinwheel, "publish", "--repository-url", f"{url}/legacy/", "--check-url", f"{url}/simple/"],
        "twine": ["twine", "upload", "--repository-url", f"{url}/legacy/", "--non-interactive", *login],
        "uv": ["uv", "publish", "--publish-url", f"{url}/legacy/", "--trusted-publishing", "never", *login],
    }
    all_commands["pinwheel"].append("--no-auth")
    all_commands["twine"].append("--disable-progress-bar")
    for name, command in all_commands.items():
        if shutil.which(command[0]) is None:
            sys.exit(f"bench: {name} is not on PATH")
        command.extend(files)
    return all_commands


def measure(command: list[str], environment: dict[str, str]) -> dict[str, float]:
    """Wall and CPU time in seconds, and peak memory in MiB."""
    os.sync()
    begun = time.perf_counter()
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    ) as child:
        printed = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if child.returncode != 0:
        sys.exit(f"bench: {command[0]} exited with {child.returncode}: {printed.decode()}")
    return {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024}


def compare(pinwheel: str, files: list[pathlib.Path], url: str, accepted: pathlib.Path, environment, runs: int):
    """A row for each client, from alternating runs."""
    results: dict[str, list[dict[str, float]]] = {}
    for _ in range(runs):
        for name, command in commands(pinwheel, url, [str(file) for file in files]).items():
            for path in accepted.iterdir():
                path.unlink()
            results.setdefault(name, []).append(measure(command, environment))
            if sorted(path.name for path in accepted.iterdir()) != sorted(file.name for file in files):
                sys.exit(f"bench: {name} did not upload every file")
    ours = statistics.median(run["wall"] for run in results["pinwheel"])
    for name, measured in results.items():
        wall = statistics.median(run["wall"] for run in measured)
        yield {
            "client": name,
            "wall_s": round(wall, 1),
            "cpu_s": round(statistics.median(run["cpu"] for run in measured), 1),
            "wall_of_pinwheel": round(wall / ours, 2),
            "walls_s": [round(run["wall"], 1) for run in measured],
            "peak_mib": round(max(run["memory"] for run in measured), 1),
        }


def main() -> None:
    parser = arguments(__doc__, runs=3)
    parser.add_argument("--wheels", type=int, default=8, help="number of wheels")
    parser.add_argument("--megabytes", type=int, default=256, help="size of each wheel, in MiB")
    parser.add_argument("--speed", type=float, default=25, help="MB per second of each connection; 0: unlimited")
    parser.add_argument("--latency", type=float, default=50, help="milliseconds before each answer")
    options = parser.parse_args()
    pinwheel = str(options.pinwheel.resolve())
    with tempfile.TemporaryDirectory(prefix="pinwheel-bench-", dir="/var/tmp") as directory:
        scratch = pathlib.Path(directory)
        environment = own_environment(scratch)
        (scratch / "dist").mkdir()
        tags = [f"py3{minor}-none-any" for minor in range(options.wheels)]
        files = [make_wheel(scratch / "dist", tag, options.megabytes) for tag in tags]
        size = sum(file.stat().st_size for file in files)
        with index(scratch / "accepted", options.speed * 1e6, options.latency / 1000) as url:
            limits = f"{options.speed:g} MB/s for each connection, {options.latency:g} ms"
            print(f"{size / 1e9:.2f} GB, {limits}", flush=True)
            for row in compare(pinwheel, files, url, scratch / "accepted", environment, options.runs):
                print(json.dumps(row), flush=True)
    print(circumstances(options.runs))


if __name__ == "__main__":
    main()
