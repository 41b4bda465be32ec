#!/usr/bin/env python3
"""Measures stores: wheels into and out of each kind of place against curl with the same files, and a release whose
results are all in a fresh store against one with nothing to do.

The places are this machine's own, a directory (curl copies the files by file://, and syncs them where pinwheel does),
nginx with DAV, and a small S3 server of this script's own, which takes every signature and answers with the MD5 of what
it got, as S3 does. Of pinwheel's time a run with nothing to do and without a store is subtracted, in
which it reads its own files as often; what is left is the transfer. curl and pinwheel take turns. Nothing is asserted.
"""

import hashlib
import http.server
import json
import os
import pathlib
import re
import shlex
import shutil
import socketserver
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "system"))

from bench import arguments, circumstances, make_project, own_environment, own_python, run  # noqa: E402
from dav_server import dav_server  # noqa: E402

PIECE = 1 << 20
PART = 64 << 20  # of uploads in parts, as pinwheel sends them


class Bucket(http.server.BaseHTTPRequestHandler):
    """Objects as files, with uploads in parts. Bodies go to files in pieces, and a part to its place in the object."""

    protocol_version = "HTTP/1.1"
    root: pathlib.Path

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def file(self) -> tuple[pathlib.Path, dict[str, list[str]]]:
        parts = urllib.parse.urlsplit(self.path)
        path = self.root / parts.path.strip("/").replace("/", "_")
        return path, urllib.parse.parse_qs(parts.query, keep_blank_values=True)

    def take_body(self, path: pathlib.Path, at: int = 0) -> str:
        """Writes the body to a file; its ETag."""
        left = int(self.headers["Content-Length"])
        md5 = hashlib.md5(usedforsecurity=False)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644), "wb") as file:
            file.seek(at)
            while left > 0:
                piece = self.rfile.read(min(PIECE, left))
                left -= len(piece)
                md5.update(piece)
                file.write(piece)
        return f'"{md5.hexdigest()}"'

    def do_PUT(self) -> None:
        path, query = self.file()
        if "partNumber" in query:
            etag = self.take_body(path.with_suffix(".parts"), (int(query["partNumber"][0]) - 1) * PART)
        else:
            etag = self.take_body(path.with_suffix(f".{os.getpid()}"))
            path.with_suffix(f".{os.getpid()}").replace(path)
        self.answer(200, ETag=etag)

    def do_POST(self) -> None:
        path, query = self.file()
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "uploads" in query:
            self.answer(200, b"<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>")
            return
        path.with_suffix(".parts").replace(path)
        self.answer(200, b"<CompleteMultipartUploadResult/>")

    def do_GET(self) -> None:
        path, _ = self.file()
        if not path.exists():
            self.answer(404)
            return
        size = path.stat().st_size
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        if self.command == "GET":
            with path.open("rb") as file:
                self.wfile.flush()
                self.connection.sendfile(file)

    do_HEAD = do_GET


class Server(socketserver.ForkingMixIn, http.server.HTTPServer):
    """A process for each connection: threads of one Python would wait for each other."""

    request_queue_size = 64


class Place:
    """A place: how pinwheel and curl name it, and how it is emptied."""

    def __init__(self, name: str, store: str, url: str, root: pathlib.Path, **environment: str):
        self.name, self.store, self.url, self.root, self.environment = name, store, url, root, environment
        self.is_synced = store == "local"

    def empty(self) -> None:
        for path in list(self.root.rglob("*")):
            if path.is_file():
                path.unlink()


def used_by(command, directory, environment):
    """Wall time in seconds and peak memory in MB."""
    begun = time.perf_counter()
    with subprocess.Popen(
        command, cwd=directory, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as child:
        printed = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0 or b"could not be" in printed:
        sys.exit(f"bench: {command[0]} exited with {child.returncode}: {printed.decode()}")
    return time.perf_counter() - begun, used.ru_maxrss / 1024


def settle() -> None:
    """Flushes earlier writes to the disk, so that they do not count."""
    os.sync()


class Wheels:
    """A project whose build has made wheels of so many megabytes, and which has nothing to do."""

    def __init__(self, pinwheel: str, scratch: pathlib.Path, megabytes: int, environment: dict[str, str]):
        self.environment = environment
        self.project, self.state, self.output = scratch / "project", scratch / "state", scratch / "dist"
        flavors = ("flavor: [plain, loud]", f"flavor: [{', '.join('abcdefgh')}]")
        pad = ('"{dest_dir}"]', f'"{{dest_dir}}", --pad, "{megabytes * 1_000_000 // 8}"]')
        make_project(self.project, environment, own_python(), flavors, pad)
        self.build = [pinwheel, "build", "matrix.yaml"]
        self.command = [*self.build, "--state-dir", str(self.state), "--output-dir", str(self.output)]
        run(self.command, self.project, environment)
        self.files = sorted(self.output.glob("*.whl"))
        self.size = sum(path.stat().st_size for path in self.files)


def elsewhere(scratch: pathlib.Path, state: pathlib.Path) -> list[str]:
    """The options of another machine, which has no results, but has resolved its packages."""
    other = [scratch / "other-state", scratch / "other-dist"]
    for path in other:
        shutil.rmtree(path, ignore_errors=True)
    if (state / "resolutions").is_dir():
        shutil.copytree(state / "resolutions", other[0] / "resolutions")
    return ["--state-dir", str(other[0]), "--output-dir", str(other[1])]


def transfers(place: Place, wheels: Wheels, scratch: pathlib.Path, runs: int):
    """Rows for the way in and the way out."""
    names = [f"{n:064x}" for n in range(len(wheels.files))]
    sends = [
        argument for name, file in zip(names, wheels.files) for argument in ("-T", str(file), f"{place.url}/cas/{name}")
    ]
    gets = [argument for name in names for argument in ("-o", str(scratch / "got" / name), f"{place.url}/cas/{name}")]
    curl = ["curl", "-sf"]
    environment = {**wheels.environment, **place.environment}
    times = {"in": [], "out": [], "curl in": [], "curl out": [], "idle": []}
    memory = 0.0
    (scratch / "got").mkdir(exist_ok=True)

    def measure(kind, command):
        nonlocal memory
        settle()
        seconds, peak = used_by(command, wheels.project, environment)
        times[kind].append(seconds)
        if not kind.startswith("curl"):
            memory = max(memory, peak)

    for _ in range(runs):
        place.empty()
        (place.root / "cas").mkdir(parents=True, exist_ok=True)
        # curl writes a local file in place of the upload that file:// does not have.
        copies = [
            a
            for name, file in zip(names, wheels.files)
            for a in ("-o", str(place.root / "cas" / name), f"file://{file}")
        ]
        send = [*curl, *(copies if place.url.startswith("file:") else sends)]
        if place.is_synced:
            kept = [str(place.root / "cas" / name) for name in names]
            send = ["sh", "-c", f"{shlex.join(send)} && {shlex.join(['sync', '--data', *kept])}"]
        measure("curl in", send)
        measure("curl out", [*curl, *gets])
        place.empty()
        measure("idle", wheels.command)
        measure("in", [*wheels.command, "--store", place.store])
        measure("out", [*wheels.build, *elsewhere(scratch, wheels.state), "--store", place.store + ",ro"])
    idle = statistics.median(times["idle"])
    for way in ("in", "out"):
        ours, theirs = statistics.median(times[way]), statistics.median(times[f"curl {way}"])
        # A run that finds its results does not read them again.
        moving = ours - idle if way == "in" else ours
        yield {
            "name": f"{wheels.size / 1e9:.1f} GB {'into' if way == 'in' else 'out of'} {place.name}",
            "whole_s": round(ours, 2),
            "moving_s": round(moving, 2),
            "curl_s": round(theirs, 2),
            "of_curls_speed": round(theirs / moving, 2),
            "peak_mb": round(memory),
        }


def fresh_store(pinwheel: str, scratch: pathlib.Path, place: Place, environment: dict[str, str], runs: int):
    """A release on a machine without results whose store has all, against the same with nothing to do. It publishes
    nothing."""
    project, state = scratch / "release", scratch / "release-state"
    make_project(project, environment, own_python())
    release = [pinwheel, "release", "matrix.yaml"]
    command = [*release, "--state-dir", str(state), "--output-dir", str(scratch / "release-dist")]
    environment = {**environment, **place.environment}
    run([*command, "--store", place.store], project, environment)
    times = {"fresh": [], "idle": []}
    for _ in range(runs):
        times["idle"].append(used_by(command, project, environment)[0])
        fresh = [*release, *elsewhere(scratch, state), "--store", place.store + ",ro"]
        times["fresh"].append(used_by(fresh, project, environment)[0])
    fresh, idle = statistics.median(times["fresh"]), statistics.median(times["idle"])
    return {
        "name": f"all results in {place.name}",
        "fresh_ms": round(fresh * 1000, 1),
        "nothing_to_do_ms": round(idle * 1000, 1),
        "ratio": round(fresh / idle, 2),
    }


def main():
    parser = arguments(__doc__, runs=3)
    parser.add_argument("--megabytes", type=int, default=2000, help="size of all wheels together")
    parser.add_argument("--place", default="", help="only places whose name matches")
    options = parser.parse_args()
    pinwheel = str(options.pinwheel.resolve())
    with tempfile.TemporaryDirectory(prefix="pinwheel-bench-", dir="/var/tmp") as directory:
        scratch = pathlib.Path(directory)
        environment = own_environment(scratch)
        wheels = Wheels(pinwheel, scratch, options.megabytes, environment)
        (scratch / "s3").mkdir()
        Bucket.root = scratch / "s3"
        bucket = Server(("127.0.0.1", 0), Bucket)
        threading.Thread(target=bucket.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{bucket.server_port}"
        keys = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench-secret", "AWS_REGION": "us-east-1"}
        with dav_server(scratch / "nginx") as url:
            own = scratch / "cache" / "store"
            places = [
                Place("this machine's place", "local", f"file://{own}", own),
                Place("a directory", f"dir:{scratch / 'dir'}", f"file://{scratch / 'dir'}", scratch / "dir"),
                Place("HTTP (nginx)", url, url, scratch / "nginx" / "files" / "results"),
                Place("S3", "s3://bench", f"{at}/bench", scratch / "s3", AWS_ENDPOINT_URL_S3=at, **keys),
            ]
            for place in places:
                if not re.search(options.place, place.name):
                    continue
                place.root.mkdir(parents=True, exist_ok=True)
                for row in transfers(place, wheels, scratch, options.runs):
                    print(json.dumps(row), flush=True)
                place.empty()
            print(json.dumps(fresh_store(pinwheel, scratch, places[2], environment, 9)), flush=True)
    print(circumstances(options.runs))


if __name__ == "__main__":
    main()
