"""A conda channel over HTTP on loopback, and its faults."""

import contextlib
import dataclasses
import hashlib
import http.server
import json
import pathlib
import re
import shutil
import sys

from conda_packages import PLACEHOLDER, Package, download_wheel, pack_files, python_package, wheel_package
from loopback import running

SUBDIRECTORIES = ("linux-64", "noarch")


@dataclasses.dataclass
class Fault:
    """Answers `status` to the next `times` requests whose path matches."""

    path: str
    status: int
    times: int


class Channel:
    """Packages and their index in a directory; `url` is the channel's address while the server runs.

    Below `legacy/` it serves the same packages with an index without virtual packages, for clients that do not
    know them.
    """

    def __init__(self, directory: pathlib.Path):
        self.directory = directory
        self.index: dict[str, dict[str, dict]] = {name: {} for name in SUBDIRECTORIES}
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, int]] = []
        self.url = ""
        for name in SUBDIRECTORIES:
            (directory / name).mkdir(parents=True)
        self.write_index()

    # Packages

    def path(self, package: Package) -> pathlib.Path:
        return self.directory / package.subdirectory / f"{package.stem}.tar.bz2"

    def add(self, package: Package, files: dict[str, str | bytes]) -> Package:
        """Adds a package of files given by content."""
        pack_files(package, files, self.path(package))
        return self.enter(package)

    def add_archive(self, package: Package, archive: pathlib.Path) -> Package:
        shutil.copy2(archive, self.path(package))
        return self.enter(package)

    def enter(self, package: Package) -> Package:
        """Adds a package whose file is in the channel to the index, with its real hashes."""
        data = self.path(package).read_bytes()
        hashes = {"md5": hashlib.md5(data).hexdigest(), "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        self.index[package.subdirectory][self.path(package).name] = package.index() | hashes
        self.write_index()
        return package

    def write_index(self) -> None:
        for name, packages in self.index.items():
            index = {"info": {"subdir": name}, "packages": packages, "packages.conda": {}, "repodata_version": 1}
            (self.directory / name / "repodata.json").write_text(json.dumps(index, indent=1, sort_keys=True))

    def explicit(self, *packages: Package, kind: str = "sha256", base: str | None = None) -> str:
        """An @EXPLICIT list of these packages; conda before 4.4 only knows `#MD5`."""
        lines = ["@EXPLICIT"]
        for package in packages:
            entry = self.index[package.subdirectory][self.path(package).name]
            anchor = entry["md5"] if kind == "md5" else f"sha256:{entry['sha256']}"
            lines.append(f"{base or self.url}/{package.subdirectory}/{self.path(package).name}#{anchor}")
        return "\n".join(lines) + "\n"

    # Faults

    def fail(self, path: str, status: int = 500, times: int = 1) -> None:
        """Answers the next requests whose path matches the expression with this status."""
        self.faults.append(Fault(path, status, times))

    def spoil(self, package: Package) -> None:
        """Changes the package's file; the index keeps its old hashes."""
        with open(self.path(package), "ab") as file:
            file.write(b"\0")

    # Serving

    def answer(self, path: str) -> tuple[int, bytes]:
        for fault in self.faults:
            if fault.times > 0 and re.search(fault.path, path):
                fault.times -= 1
                return fault.status, b"the test says so"
        legacy = path.startswith("/legacy/")
        file = self.directory / path.removeprefix("/legacy" if legacy else "").lstrip("/")
        inside = file.resolve().is_relative_to(self.directory.resolve())
        if not inside or not file.is_file():
            return 404, b"not here"
        data = file.read_bytes()
        return 200, without_virtual(data) if legacy and file.name == "repodata.json" else data

    @contextlib.contextmanager
    def serve(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_port}"
        with running(server):
            yield self
            self.url = ""

    @contextlib.contextmanager
    def quiet(self):
        """Forgets faults and requests before and after."""
        self.faults, self.requests = [], []
        try:
            yield self
        finally:
            self.faults, self.requests = [], []


def without_virtual(data: bytes) -> bytes:
    index = json.loads(data)
    for entry in index["packages"].values():
        entry["depends"] = [one for one in entry["depends"] if not one.startswith("__")]
    return json.dumps(index).encode()


def handler(channel: Channel):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.partition("?")[0]
            status, data = channel.answer(path)
            channel.requests.append((path, status))
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command == "GET":
                with contextlib.suppress(ConnectionError):  # a client that hung up early
                    self.wfile.write(data)

        do_HEAD = do_GET

        def log_message(self, *_):
            pass  # `requests` is the log

    return Handler


def add_examples(channel: Channel) -> None:
    """Small packages, each for one task of a solver or an installer."""
    for version in ("1.0", "2.0"):
        script = f"#!{PLACEHOLDER}/bin/python\nprint('hello {version}')\n"
        channel.add(Package("hello", version, ["python >=3.6"]), {"bin/hello": script})
        channel.add(Package("shared", version), {"share/shared/version": version + "\n"})
    channel.add(Package("left", "1.0", ["shared <2"]), {"share/left": "left\n"})
    channel.add(Package("right", "1.0", ["shared >=2"]), {"share/right": "right\n"})
    channel.add(Package("lonely", "1.0", ["absent >=3"]), {"share/lonely": "lonely\n"})
    channel.add(Package("for-new-glibc", "1.0", ["__glibc >=9.9"]), {"share/new": "new\n"})
    channel.add(Package("for-cuda", "13.0", ["__cuda >=13"]), {"share/cuda": "cuda\n"})
    spoilt = channel.add(Package("spoilt", "1.0"), {"share/spoilt": "spoilt\n"})
    channel.spoil(spoilt)
    module = {"site-packages/noted/__init__.py": "note = 'kept'\n"}
    channel.add(Package("noted", "1.0", ["python >=3.6"], noarch="python"), module)


def make_channel(directory: pathlib.Path) -> Channel:
    """A channel with the interpreter that runs the tests, ninja, and the examples; `directory` is empty."""
    channel = Channel(directory / "main")
    channel.add_archive(*python_package(pathlib.Path(sys.base_prefix)))
    wheel = download_wheel("ninja", directory / "wheels")
    channel.enter(wheel_package("ninja", wheel, channel.directory / "linux-64"))
    add_examples(channel)
    return channel
