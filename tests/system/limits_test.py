"""Memory is bounded for any input of a command, and an error names the exceeded limit."""

import base64
import contextlib
import functools
import hashlib
import http.server
import mmap
import os
import pathlib
import resource
import subprocess
import threading

import hostile_files
import pytest
from compiled_wheels import make_wheel
from loopback import serving
from repair_wheels import JPEG, MODULE, TAGS, extension

MEGA = 1_000_000
MOST_MEMORY = 1000 * MEGA


@functools.cache
def is_sanitized(program: str) -> bool:
    """Whether the program keeps memory for the address sanitizer, which says nothing of what it needs."""
    with open(program, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as contents:
        return contents.find(b"__asan_init") >= 0


def limit_machine(program: str) -> None:
    """A program that does not pass this test does not take the machine with it."""
    if not is_sanitized(program):
        resource.setrlimit(resource.RLIMIT_AS, (8 * MOST_MEMORY, 8 * MOST_MEMORY))


class Ran:
    def __init__(self, code: int, text: str, memory: int):
        self.code = code
        self.text = text
        self.memory = memory


def measured(command, directory: pathlib.Path, **variables: str) -> Ran:
    """A command's output on both channels, and its peak memory."""
    with open(directory / "said", "w+b") as output:
        child = subprocess.Popen(
            [str(part) for part in command],
            cwd=directory,
            env={**os.environ, "NO_COLOR": "1", **variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=functools.partial(limit_machine, str(command[0])),
        )
        # Only ends a hang.
        timer = threading.Timer(600, child.kill)
        timer.start()
        try:
            _, status, used = os.wait4(child.pid, 0)
        finally:
            timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(20 * MEGA).decode(errors="replace")
    return Ran(child.returncode, text, used.ru_maxrss * 1024)


@pytest.fixture
def bounded(pinwheel, tmp_path):
    """Runs a command of pinwheel and asserts that its memory is bounded, and its exit code."""

    def run(*arguments, codes=(5,), **variables: str) -> str:
        ran = measured([pinwheel, *arguments], tmp_path, **variables)
        assert ran.code in codes, f"exit {ran.code}\n{ran.text[:2000]}"
        if not is_sanitized(pinwheel):
            assert ran.memory < MOST_MEMORY, f"{ran.memory / MEGA:.0f} MB"
        return ran.text

    return run


COMMANDS = {
    "inspect": ("inspect",),
    "inspect --json": ("inspect", "--json"),
    "inspect --check": ("inspect", "--check"),
    "compat": ("compat",),
    "finish": ("finish", "--output-dir", "out"),
    "repair": ("repair", "--output-dir", "out"),
    "publish": ("publish", "--dry-run", "--target", "pypi"),
}
WITHIN = ""  # its limits
WHEELS = {
    "record_of_many_bytes": "larger than the limit of 40 MB for a RECORD",
    "record_of_many_lines": "more than 200000 lines, the limit for a RECORD",
    "long_metadata": "larger than the limit of 8.0 MB for the metadata of a package",
    "many_headers": WITHIN,
    "shared_data": ".py` overlap",
    "many_members": "more than 200000 members, the limit for an archive",
    "bombs": "more than the limit of 50 times its own size",
    "one_large_member": WITHIN,
    "much_to_write_anew": "larger than the limit of 700 MB for an unpacked wheel to rewrite",
    "cuda_containers": "more than 200000 pieces of GPU code, the limit for an ELF file",
    "cuda_entries": "more than 600000 pieces of GPU code, the limit for a wheel",
    "hip_bundles": "more than 200000 pieces of GPU code, the limit for an ELF file",
    "hip_zlib": WITHIN,
    "elf_tables": "more than 1000 segments, the limit for an ELF file",
}
# Parts that these commands do not read cannot be over a limit.
UNREAD = {
    ("compat", "record_of_many_bytes"),
    ("compat", "record_of_many_lines"),
    ("repair", "record_of_many_lines"),  # as long as there is nothing to repair
    *((name, "much_to_write_anew") for name in COMMANDS if name != "finish"),
    *((name, wheel) for name in ("finish", "repair") for wheel in ("cuda_containers", "cuda_entries", "hip_bundles")),
}


@pytest.mark.takes(60)
@pytest.mark.parametrize("wheel", WHEELS)
def test_no_wheel_takes_more_memory_and_the_limit_is_named(bounded, tmp_path, wheel):
    path = getattr(hostile_files, wheel)().write(tmp_path)
    for name, command in COMMANDS.items():
        output = bounded(*command, path, codes=(0, 4, 5))
        if (name, wheel) not in UNREAD:
            assert WHEELS[wheel] in output, f"{name}: {output[:2000]}"


@pytest.mark.takes(30)
def test_a_wheel_of_any_size_is_finished_in_little_memory(pinwheel, tmp_path):
    contents = {"demo_kit/__init__.py": b"", "demo_kit/data.bin": os.urandom(MEGA) * 300}
    wheel = make_wheel(tmp_path, contents, "py3-none-any")
    del contents  # a child begins with the memory of its parent, and that counts
    ran = measured([pinwheel, "finish", wheel, "--output-dir", "out"], tmp_path)
    assert ran.code == 0, ran.text
    assert (tmp_path / "out" / wheel.name).is_file()
    if not is_sanitized(pinwheel):
        assert ran.memory < 256 * MEGA, f"{ran.memory / MEGA:.0f} MB"


@pytest.mark.takes(60)
def test_a_library_is_edited_up_to_a_size_without_more_memory(bounded, environments, tmp_path):
    module = extension(tmp_path, JPEG)
    for size in (440 * MEGA, 460 * MEGA):
        padded = module + os.urandom(80 * MEGA) + bytes(size - len(module) - 80 * MEGA)
        wheel = make_wheel(tmp_path, {"demo_kit/__init__.py": b"", MODULE: padded}, TAGS)
        code = 0 if size < 450 * MEGA else 5
        output = bounded("repair", "--out", "out", wheel, codes=(code,), PINWHEEL_CACHE_DIR=str(environments))
        expected = "libjpeg" if code == 0 else f"`{MODULE}` is larger than the limit of 450 MB for a library of a wheel that is edited"
        assert expected in output


class Page(http.server.BaseHTTPRequestHandler):
    """Answers every page with one body, and every upload with one without end."""

    body = b""
    type = "text/html"

    def log_message(self, *arguments):
        pass

    def send_head(self, length: int):
        self.send_response(200)
        self.send_header("Content-Type", self.type)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def do_GET(self):
        with contextlib.suppress(OSError):
            self.send_head(len(self.body))
            self.wfile.write(self.body)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.send_head(700 * MEGA)
            for _ in range(700):
                self.wfile.write(bytes(MEGA))


JSON = "application/vnd.pypi.simple.v1+json"
PAGES = {
    "html, bytes": ("text/html", lambda: hostile_files.page("html", 10 * MEGA), "40 MB for a simple page"),
    "html, files": ("text/html", lambda: hostile_files.page("html", 3 * MEGA), "more than 200000 files"),
    "html, one tag": ("text/html", lambda: b"<a " + b"x1 " * 10 * MEGA + b">", "100 KB for a tag of an HTML page"),
    "json, bytes": (JSON, lambda: hostile_files.page("json", 1_400_000), "40 MB for a simple page"),
    "json, files": (JSON, lambda: hostile_files.page("json", 500_000), "more than 200000 files"),
    "json, deep": (JSON, lambda: b'{"files":[' + b"[" * 30 * MEGA, "has an entry that is not an object"),
}


@pytest.fixture
def small_wheel(tmp_path):
    directory = tmp_path / "small"
    directory.mkdir()
    info = hostile_files.INFO
    record = f"{info}/METADATA,{digest(hostile_files.METADATA)}\n{info}/WHEEL,{digest(hostile_files.WHEEL)}\n"
    return hostile_files.RawZip(record=f"{record}{info}/RECORD,,\n".encode()).write(directory)


def digest(data: bytes) -> str:
    return f"sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"


@pytest.mark.parametrize("page", PAGES)
def test_no_page_of_an_index_takes_more_memory(bounded, small_wheel, page):
    kind, body, part = PAGES[page]
    with serving(type("Large", (Page,), {"body": body(), "type": kind})) as url:
        output = bounded("publish", "--no-auth", "--repository-url", url + "/", "--check-url", url, small_wheel, codes=(6,))
    assert part in output


def test_only_the_beginning_of_the_reply_to_an_upload_is_stored(bounded, small_wheel):
    with serving(Page) as url:
        arguments = ("--no-auth", "--no-confirm", "--repository-url", url + "/", "--check-url", url)
        assert "uploaded" in bounded("publish", *arguments, small_wheel, codes=(0,))


BIG_SDISTS = {
    "5 GB": (lambda place: hostile_files.sdist_of_one_file(place, 5300 * MEGA, bytes(100 * MEGA)), "4.0 GB"),
    "many files": (lambda place: hostile_files.sdist_of_many_files(place, MEGA), "200000 members"),
}


@pytest.mark.takes(40)
@pytest.mark.parametrize("sdist", BIG_SDISTS)
def test_no_sdist_takes_more_memory(bounded, tmp_path, sdist):
    make, part = BIG_SDISTS[sdist]
    path = make(tmp_path)
    assert part in bounded("publish", "--dry-run", "--target", "pypi", path)
    bounded("finish", "--output-dir", "out", path)


@pytest.mark.takes(40)
def test_a_large_sdist_is_published_and_built_without_being_held(bounded, tmp_path):
    noise = os.urandom(100_000)
    path = hostile_files.sdist_of_one_file(tmp_path, 900 * MEGA, noise + bytes(900_000))
    assert "there is no wheel of `demo`" in bounded("publish", "--dry-run", "--target", "pypi", path)
    assert "more than the limit (350 MB)" in bounded("finish", path)
    # Its source is unpacked from an index; then planning finds that it is no project.
    links = tmp_path / "links"
    links.mkdir()
    path.rename(links / path.name)
    (tmp_path / "matrix.yaml").write_text(
        'schema: pinwheel/1\npackage: {name: demo, requirement: demo==1.0}\naxes: {python: ["3.11"]}\n'
        "abi: {python: none}\nbuild:\n  command: [python, -m, build, --outdir, '{dest_dir}', '{package}']\n"
    )
    bounded(
        "build", "--dry-run", "matrix.yaml", codes=range(8),
        PIP_NO_INDEX="1", PIP_FIND_LINKS=str(links), PINWHEEL_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert [file.stat().st_size for file in (tmp_path / "cache").rglob("data")] == [900 * MEGA]


def test_no_matrix_or_plan_takes_more_memory(bounded, tmp_path):
    long = tmp_path / "long.yaml"
    long.write_bytes(b"schema: pinwheel/1\n" + b"# x\n" * 25 * MEGA)
    assert "larger than the limit of 8.0 MB for a matrix file" in bounded("plan", long, codes=(2,))
    # Every node has its place in the file, with the text of the line.
    line = tmp_path / "line.yaml"
    values = ", ".join(f'"3.{i}"' for i in range(90_000))
    line.write_text(f"schema: pinwheel/1\npackage: {{name: demo, source: .}}\naxes: {{python: [{values}], other: 1}}\n")
    bounded("plan", line, codes=(2,))
    frozen = tmp_path / "plan.json"
    frozen.write_bytes(b'{"schema": [' + b"[]," * 30 * MEGA + b"1]}")
    assert "larger than the limit of 32 MB for a frozen plan" in bounded("plan", "--plan", frozen, codes=(2,))
    frozen.write_bytes(b'{"schema": [' + b"[]," * 10 * MEGA + b"1]}")
    bounded("plan", "--plan", frozen, codes=(2,))
