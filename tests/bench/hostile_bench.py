"""Memory and time of commands for inputs that are designed to cost as much as possible, as a table in Markdown:
hostile_bench.py PINWHEEL [PART-OF-A-NAME ...]. The inputs are those of the system tests. Exit 1 if a command takes more
than 1 GB or 10 s."""

import concurrent.futures
import contextlib
import hashlib
import http.server
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "system"))

import hostile_files  # noqa: E402
import hostile_projects  # noqa: E402
import repair_wheels  # noqa: E402
from compiled_wheels import make_wheel  # noqa: E402
from loopback import serving  # noqa: E402

WHEELS = (
    "record_of_many_bytes", "record_of_many_lines", "long_metadata", "many_headers", "shared_data", "many_members",
    "bombs", "one_large_member", "cuda_containers", "cuda_entries", "hip_bundles", "hip_zlib", "elf_tables",
)  # fmt: skip
MEGA = 1_000_000
HTML, JSON = "text/html", "application/vnd.pypi.simple.v1+json"
PAGES = {
    "HTML, 100 MB": (HTML, lambda: hostile_files.page("html", 10 * MEGA)),
    "HTML, 3,000,000 links": (HTML, lambda: hostile_files.page("html", 3 * MEGA)),
    "HTML, one tag": (HTML, lambda: b"<a " + b"x1 " * 10 * MEGA + b">"),
    "JSON, 100 MB": (JSON, lambda: hostile_files.page("json", 1_400_000)),
    "JSON, 500,000 files": (JSON, lambda: hostile_files.page("json", 500_000)),
    "JSON, 30,000,000 lists": (JSON, lambda: b'{"files":[' + b"[" * 30 * MEGA),
}

STATE = b'{"schema":"pinwheel-bucket-index/1","generation":1,"complete":1,"places":'
STATES = {
    "700,000 files": lambda: STATE + b'{"":{"demo":' + hostile_files.page("json", 700_000) + b"}}}",
    "500,000 projects": lambda: STATE + b'{"":{' + b",".join(b'"p%d":{"files":[]}' % i for i in range(500_000)) + b"}}}",
    "30,000,000 lists": lambda: STATE + b"[" * 30 * MEGA,
}
KEYS = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_REGION": "any", "AWS_ENDPOINT_URL_S3": "URL"}


class Page(http.server.BaseHTTPRequestHandler):
    """Answers every request with one body."""

    body = b""
    kind = HTML

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        with contextlib.suppress(OSError):
            self.send_response(200)
            self.send_header("Content-Type", self.kind)
            self.send_header("Content-Length", str(len(self.body)))
            self.end_headers()
            self.wfile.write(self.body)


def project_with(change):
    def make(directory: pathlib.Path) -> pathlib.Path:
        project = hostile_projects.plain(directory / "project")
        change(project)
        return project

    return make


def irregular(add):
    def change(project: pathlib.Path) -> None:
        for name in hostile_projects.READ_BY_NAME[1:]:
            add(hostile_projects.replaced(project, name))

    return project_with(change)


def projects():
    for name, change in hostile_projects.COSTLY.items():
        yield name, project_with(change)
    for kind, add in hostile_projects.KINDS.items():
        yield f"a {kind} for each file", irregular(add)


def matrices():
    versions = ", ".join(f'"3.{i}"' for i in range(90_000))
    line = f"schema: pinwheel/1\npackage: {{name: demo, source: .}}\naxes: {{python: [{versions}], other: 1}}\n"
    yield "a matrix of 100 MB", "matrix.yaml", lambda: b"schema: pinwheel/1\n" + b"# x\n" * 25 * MEGA
    yield "a matrix with 90,000 values in a line", "matrix.yaml", line.encode
    yield "a matrix of 100,000 lists", "matrix.yaml", lambda: b"schema: " + b"[" * 100_000
    yield "a frozen plan of 90 MB", "plan.json", lambda: b'{"schema": [' + b"[]," * 30 * MEGA + b"1]}"
    yield "a frozen plan of 30 MB of names", "plan.json", lambda: names_text(2_500_000)
    yield "a frozen plan of 30 MB", "plan.json", lambda: b'{"schema": [' + b"[]," * 10 * MEGA + b"1]}"


def names_text(count: int) -> bytes:
    return b"{" + b",".join(b'"n%d":1' % i for i in range(count)) + b"}"


def digest_names(count: int):
    return (hashlib.sha256(b"%d" % i).hexdigest() for i in range(count))


def store_of(fill):
    """A store in a directory whose parts `fill` gets."""

    def make(directory: pathlib.Path) -> pathlib.Path:
        place = directory / "store"
        for part in ("cas", "ac"):
            (place / part).mkdir(parents=True)
        fill(place)
        return place

    return make


def each_as(add):
    def fill(place: pathlib.Path) -> None:
        for part in ("cas", "ac"):
            for name in digest_names(10):
                add(place / part / name)

    return fill


def many_results(place: pathlib.Path) -> None:
    for part in ("cas", "ac"):
        for name in digest_names(50_000):
            (place / part / name).write_bytes(b"\xff" * 100)


def deep_result(place: pathlib.Path) -> None:
    for name in digest_names(10):
        (place / "ac" / name).write_bytes(b"\x0a\xff\xff\xff\x07" * 200_000)


def many_names(place: pathlib.Path) -> None:
    for name in digest_names(10):
        (place / "ac" / name).write_bytes(names_text(90_000))


STORES = {
    **{f"a {kind} for each result": store_of(each_as(add)) for kind, add in hostile_projects.KINDS.items()},
    "100,000 damaged results": store_of(many_results),
    "results of 1 MB of nested lengths": store_of(deep_result),
    "results of 1 MB of names": store_of(many_names),
}


def chain(length: int):
    """A wheel that needs the first of so many libraries, each of which needs the next one."""

    def make(directory: pathlib.Path) -> pathlib.Path:
        prefix = directory / "prefix"
        for i in reversed(range(length)):
            needs = [f"-lchain{i + 1}"] if i + 1 < length else []
            rest = f"int c{i + 1}(void); int c{i}(void) {{ return c{i + 1}(); }}"
            source = rest if needs else f"int c{i}(void) {{ return 7; }}"
            repair_wheels.private_library(prefix, f"chain{i}", source, *needs, f"-Wl,-rpath-link,{prefix}")
        use = ("int c0(void);", "return c0();", f"-L{prefix} -lchain0 -Wl,-rpath-link,{prefix}")
        module = repair_wheels.extension(directory, use)
        return make_wheel(directory, {"demo_kit/__init__.py": b"", repair_wheels.MODULE: module}, repair_wheels.TAGS)

    return make


class Command:
    """The arguments of a command, its variables, and what must run until it ends."""

    def __init__(self, *arguments, serve=None, **variables: str):
        self.arguments = [str(part) for part in arguments]
        self.variables = variables
        self.serve = serve


def small_wheel(directory: pathlib.Path) -> pathlib.Path:
    return make_wheel(directory, {"demo_kit/__init__.py": b""}, "py3-none-any")


def inputs():
    """The name of each row, and a function that makes the input in a directory and returns the command."""
    for name, make in projects():
        yield f"`init`: {name}", lambda at, make=make: Command("init", make(at), "--out", "-")
        yield f"`plan`: {name}", lambda at, make=make: Command("plan", make(at) / "matrix.yaml")
    for name, file, content in matrices():

        def planned(at, file=file, content=content):
            (at / file).write_bytes(content())
            return Command("plan", "--plan", at / file) if file.endswith("json") else Command("plan", at / file)

        yield f"`plan`: {name}", planned
    yield "`init --from`: an sdist with a chain of links", lambda at: Command(
        "init", "--from", "demo==1.0", "--out", "-",
        PIP_NO_INDEX="1", PIP_FIND_LINKS=str(hostile_projects.sdist_of_links(at).parent),
    )  # fmt: skip
    for wheel in WHEELS:
        make = getattr(hostile_files, wheel)
        name = wheel.replace("_", " ")
        yield f"`inspect`: {name}", lambda at, make=make: Command("inspect", make().write(at))
        yield f"`compat`: {name}", lambda at, make=make: Command("compat", make().write(at))
        yield f"`finish`: {name}", lambda at, make=make: Command("finish", "--output-dir", at / "out", make().write(at))
        yield f"`repair`: {name}", lambda at, make=make: Command("repair", "--out", at / "out", make().write(at))
        yield f"`publish`: {name}", lambda at, make=make: Command(
            "publish", "--dry-run", "--target", "pypi", make().write(at)
        )

    def long_report(at):
        (at / "report.json").write_bytes(b'{"schema":"pinwheel-report/2",' + names_text(2_000_000)[1:])
        return Command("reproduce", at / "report.json")

    yield "`reproduce`: a report of 2,000,000 names", long_report
    for length in (60, 300):
        yield f"`repair`: a chain of {length} libraries", lambda at, length=length: Command(
            "repair", "--out", at / "out", chain(length)(at), LD_LIBRARY_PATH=str(at / "prefix")
        )
    yield "`publish`: an sdist with a file of 5 GB", lambda at: Command(
        "publish", "--dry-run", "--target", "pypi", hostile_files.sdist_of_one_file(at, 5300 * MEGA, bytes(100 * MEGA))
    )
    yield "`publish`: an sdist of 1,000,000 files", lambda at: Command(
        "publish", "--dry-run", "--target", "pypi", hostile_files.sdist_of_many_files(at, MEGA)
    )
    for page, (kind, content) in PAGES.items():

        def server(kind=kind, content=content):
            return serving(type("Large", (Page,), {"body": content(), "kind": kind}))

        yield f"`publish`: a page, {page}", lambda at, server=server: Command(
            "publish", "--no-auth", "--repository-url", "URL/", "--check-url", "URL", small_wheel(at), serve=server
        )
        yield f"`index check`: a page, {page}", lambda at, server=server: Command(
            "index", "check", "URL/simple/", "demo", serve=server
        )
    for name, content in STATES.items():

        def bucket(content=content):
            return serving(type("Large", (Page,), {"body": content(), "kind": JSON}))

        yield f"`index prune`: a bucket's state, {name}", lambda at, bucket=bucket: Command(
            "index", "prune", "s3://bucket/prefix", "--keep-last", "1", serve=bucket, **KEYS
        )
    for name, make in STORES.items():
        for verb in ("stat", "verify", "gc"):
            yield f"`store {verb}`: {name}", lambda at, make=make, verb=verb: Command(
                "store", verb, "--store", f"dir:{make(at)}"
            )
        yield f"`store import`: {name}", lambda at, make=make: Command(
            "store", "import", make(at), "--store", f"dir:{at / 'other'}"
        )
    for kind, add in hostile_projects.KINDS.items():

        def credentials(at, add=add):
            add(at / "credentials")
            return Command("store", "stat", "--store", "s3://bucket/prefix", AWS_SHARED_CREDENTIALS_FILE=str(at / "credentials"))

        yield f"`store stat`: a {kind} as the file of S3's credentials", credentials

    def docker_configuration(at):
        hostile_projects.add_fifo(at / "config.json")
        return Command("doctor", DOCKER_CONFIG=str(at))

    yield "`doctor`: a fifo as docker's configuration", docker_configuration


def run(arguments: list[str], directory: str, variables: dict[str, str]) -> tuple[int, int, float, float]:
    """The exit code, the most memory, the CPU time and the elapsed time of a program."""
    start = time.monotonic()
    child = subprocess.Popen(
        arguments, cwd=directory, env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8000 * MEGA, 8000 * MEGA)),
    )  # fmt: skip
    timer = threading.Timer(120, child.kill)
    timer.start()
    _, status, used = os.wait4(child.pid, 0)
    timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime, time.monotonic() - start


class Bench:
    """Runs commands from a small process: the peak memory of a child includes that of the process that forked it."""

    def __init__(self, program: str, cache: pathlib.Path):
        self.program = program
        self.variables = {"PINWHEEL_CACHE_DIR": str(cache), "NO_COLOR": "1"}
        self.runner = concurrent.futures.ProcessPoolExecutor(1)
        self.runner.submit(os.getpid).result()

    def measure(self, command: Command, directory: pathlib.Path) -> tuple[int, int, float, float]:
        with command.serve() if command.serve else contextlib.nullcontext("") as url:
            arguments = [self.program, *(part.replace("URL", url) for part in command.arguments)]
            variables = {name: text.replace("URL", url) for name, text in command.variables.items()}
            variables = {**self.variables, **variables}
            return self.runner.submit(run, arguments, str(directory), variables).result()


def main(program: str, *parts: str) -> int:
    worst = (0, 0.0)
    with tempfile.TemporaryDirectory() as shared:
        bench = Bench(program, pathlib.Path(shared) / "cache")
        # The tools of `repair` are installed before anything is measured.
        inputs_of_first = next(make for name, make in inputs() if name == "`repair`: a chain of 60 libraries")
        bench.measure(inputs_of_first(pathlib.Path(shared)), pathlib.Path(shared))
        print("| input | exit | memory | CPU time | elapsed |\n|---|---|---|---|---|", flush=True)
        for name, make in inputs():
            if parts and not any(part in name for part in parts):
                continue
            with tempfile.TemporaryDirectory() as place:
                directory = pathlib.Path(place)
                code, memory, used, elapsed = bench.measure(make(directory), directory)
            worst = (max(worst[0], memory), max(worst[1], used, elapsed))
            print(f"| {name} | {code} | {memory / MEGA:.0f} MB | {used:.1f} s | {elapsed:.1f} s |", flush=True)
    print(f"\nmost: {worst[0] / MEGA:.0f} MB, {worst[1]:.1f} s", file=sys.stderr)
    return 0 if worst[0] < 1000 * MEGA and worst[1] < 10 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
