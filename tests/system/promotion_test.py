"""`pinwheel publish --from`: the files of a release go from one index to the next, as their record says. pypiserver
receives them, and pip and uv install them."""

import dataclasses
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import zipfile

import pytest
from indexes import fake_index, log_of, names_of, pip_installs, real_index
from loopback import serving
from processes import wait_until

JSON = "application/vnd.pypi.simple.v1+json"
CANARY = "canary-0123456789"


@dataclasses.dataclass
class Release:
    """A release of a project with two wheels; no test changes it."""

    files: list[pathlib.Path]
    record: pathlib.Path
    index: pathlib.Path  # a directory index with the same files
    store: pathlib.Path
    requirement: str = "script-only==1.2.0"


@pytest.fixture(scope="module")
def release(make_project, tmp_path_factory):
    place = tmp_path_factory.mktemp("promoted")
    script = make_project("script", place / "project")
    script.run("release", "matrix.yaml", "--store", f"dir:{place / 'store'}")
    files = sorted(script.output.glob("*.whl"))
    assert len(files) == 2
    return Release(files, script.output / "pinwheel-release.json", script.index, place / "store")


@pytest.fixture
def target(packages):
    """The upload URL of a pypiserver that has nothing yet."""
    with real_index(packages) as url:
        yield url + "/"


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def environment(cache, tmp_path):
    return {**os.environ, "HOME": str(tmp_path), "PINWHEEL_CACHE_DIR": str(cache), "NO_COLOR": "1"}


@pytest.fixture
def command(pinwheel, release):
    def make(source, target, *options, record=None, requirement=release.requirement) -> list[str]:
        record = str(record or release.record)
        whence = ["--from", str(source), "--record", record, requirement]
        return [str(pinwheel), "publish", *whence, "--repository-url", target, "--no-auth", *options]

    return make


@pytest.fixture
def promote(command, environment):
    def run(*arguments, code=0, **options) -> subprocess.CompletedProcess:
        variables = {**environment, **options.pop("variables", {})}
        ran = subprocess.run(command(*arguments, **options), capture_output=True, text=True, timeout=120, env=variables)
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran

    return run


def left_in(cache: pathlib.Path) -> list[str]:
    """The files of promotions in the cache, except their locks."""
    return sorted(path.name for path in cache.glob("promotions/**/*") if path.suffix != ".lock")


def received(packages: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in packages.iterdir()}


def contents(files: list[pathlib.Path]) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in files}


def changed_record(release: Release, place: pathlib.Path, change) -> pathlib.Path:
    record = json.loads(release.record.read_text())
    change(record)
    place.write_text(json.dumps(record))
    return place


def twine_upload(url: str, files: list[pathlib.Path]) -> None:
    twine = [sys.executable, "-m", "twine", "upload", "--non-interactive", "--disable-progress-bar"]
    account = ["--repository-url", url, "--username", "a", "--password", "b"]
    subprocess.run([*twine, *account, *map(str, files)], check=True, capture_output=True, timeout=120)


def test_the_same_bytes_reach_the_next_index_where_pip_and_uv_install_them(
    promote, release, target, packages, cache, tmp_path
):
    source = tmp_path / "source"
    source.mkdir()
    with real_index(source) as url:
        twine_upload(url + "/", release.files)
        ran = promote(url + "/simple/", target)
        assert sorted(ran.stdout.splitlines()) == [f"{file.name} uploaded" for file in release.files]
        assert received(packages) == contents(release.files)
        assert left_in(cache) == []
        # A second time nothing is sent.
        again = promote(url + "/simple/", target)
        assert {line.split()[1] for line in again.stdout.splitlines()} == {"identical"}
    pip_installs(target + "simple/", tmp_path / "pip", "script-only==1.2.0+loud")
    assert "loud" in (tmp_path / "pip" / "script_only.py").read_text()
    uv = ["uv", "pip", "install", "--no-cache", "--index-url", target + "simple/", "--target", str(tmp_path / "uv")]
    subprocess.run([*uv, "script-only==1.2.0+plain"], check=True)
    assert "plain" in (tmp_path / "uv" / "script_only.py").read_text()


@pytest.fixture(params=["json", "no hashes", "files", "directory index", "store"])
def source(request, release, tmp_path):
    """The source and options of a promotion from each kind of source."""
    names = [str(file) for file in release.files]
    if request.param == "json":
        with fake_index("--json", "--hold", *names) as url:
            yield url + "/simple/", ()
    elif request.param == "no hashes":
        with fake_index("--hash", "none", "--hold", *names) as url:
            yield url + "/simple", ()
    elif request.param == "files":
        place = tmp_path / "loose"
        place.mkdir()
        for file in release.files:
            shutil.copy(file, place)
        yield place, ()
    elif request.param == "directory index":
        yield release.index, ()
    else:
        yield "store", ("--store", f"dir:{release.store},ro")


def test_each_kind_of_source_gives_the_files_of_the_record(promote, release, source, target, packages, cache):
    place, options = source
    dry = promote(place, target, "--dry-run", "--json", *options)
    planned = json.loads(dry.stdout)
    assert planned["from"] == str(place)
    assert {file["file"]: file["sha256"] for file in planned["would_send"]} == {
        name: hashlib.sha256(content).hexdigest() for name, content in contents(release.files).items()
    }
    assert received(packages) == {}
    outcomes = json.loads(promote(place, target, "--json", *options).stdout)
    assert outcomes["from"] == str(place)
    assert [file["outcome"] for file in outcomes["files"]] == ["uploaded", "uploaded"]
    assert received(packages) == contents(release.files)
    assert left_in(cache) == []


def test_a_source_that_differs_from_the_record_is_refused_as_a_whole(promote, release, target, packages, tmp_path):
    first, second = release.files
    altered = tmp_path / "altered"
    altered.mkdir()
    (altered / first.name).write_bytes(first.read_bytes() + b"more")
    more = shutil.copy(first, tmp_path / "script_only-1.2.0+third-py3-none-any.whl")
    for held, words in (
        ([second], f"`{first.name}` is not in "),
        ([altered / first.name, second], f"`{first.name}` has the sha256 "),
        ([first, second, more], f"`{more.name}` is in "),
        ([], f"`{second.name}` is not in "),
    ):
        with fake_index("--json", "--hold", *map(str, held)) as url:
            ran = promote(url + "/simple/", target, code=5)
        assert words in ran.stderr and "nothing was sent" in ran.stderr
        assert received(packages) == {}


def test_bytes_that_are_not_those_of_the_record_are_refused(promote, release, target, packages, cache, tmp_path):
    """The page has no hash that would show it before the download."""
    first, second = release.files
    altered = tmp_path / first.name
    altered.write_bytes(first.read_bytes()[::-1])
    with fake_index("--hash", "none", "--hold", str(altered), str(second)) as url:
        ran = promote(url + "/simple/", target, code=5)
    assert f"`{first.name}` has the sha256 " in ran.stderr
    assert received(packages) == {} and first.name not in left_in(cache)


def test_a_record_of_something_else_is_refused(promote, release, target, packages, tmp_path):
    ran = promote(release.index, target, requirement="script-only==1.3.0", code=2)
    assert "the record is of `script-only==1.2.0`, not of `script-only==1.3.0`" in ran.stderr
    other = changed_record(release, tmp_path / "other.json", lambda record: record["files"].pop())
    assert "but not in the record" in promote(release.index, target, record=other, code=5).stderr

    def climb(record):
        record["files"][0]["filename"] = "../" + record["files"][0]["filename"]

    bad = changed_record(release, tmp_path / "bad.json", climb)
    ran = promote(release.index, target, record=bad, code=2)
    assert "is not the name of a wheel or an sdist" in ran.stderr and "bad.json" in ran.stderr
    assert received(packages) == {}


def test_the_checks_for_new_files_are_made_before_anything_is_sent(promote, release, target, packages, tmp_path):
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for file in release.files:
        shutil.copy(file, damaged)
    first = damaged / release.files[0].name
    # Without its record of files it is a wheel that installers reject.
    with zipfile.ZipFile(release.files[0]) as whole, zipfile.ZipFile(first, "w") as wheel:
        for member in whole.infolist():
            if not member.filename.endswith("/RECORD"):
                wheel.writestr(member, whole.read(member))

    def rehash(record):
        for entry in record["files"]:
            content = (damaged / entry["filename"]).read_bytes()
            entry.update(size=len(content), sha256=hashlib.sha256(content).hexdigest())

    record = changed_record(release, tmp_path / "record.json", rehash)
    assert "RECORD" in promote(damaged, target, record=record, code=5).stderr
    assert received(packages) == {}


def test_options_that_do_not_fit_are_named(pinwheel, release, environment):
    def words(*options) -> str:
        command = [str(pinwheel), "publish", *map(str, options)]
        ran = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert ran.returncode == 2, ran.stderr
        return ran.stderr

    record = ("--record", release.record)
    assert "`--from` needs `--record`" in words("--from", "testpypi", release.requirement)
    assert "`--record` needs `--from`" in words(*record, release.files[0])
    assert "one version of one project" in words("--from", "testpypi", *record, "a==1", "b==1")
    assert "PROJECT==VERSION" in words("--from", "testpypi", *record, release.files[0], "--dry-run")
    assert "both the source and the target" in words("--from", "pypi", *record, release.requirement, "--dry-run")
    assert "needs a store" in words("--from", "store", *record, release.requirement, "--dry-run")
    # Without a token: the file is the first thing that is missing.
    gone = words("--from", "testpypi", "--record", "gone.json", release.requirement)
    assert "gone.json` cannot be read" in gone and "token" not in gone


def test_the_password_of_a_source_is_not_shown(promote, release, target):
    with fake_index("--json", "--hold", *map(str, release.files)) as url:
        source = url.replace("http://", f"http://me:{CANARY}@") + "/simple/"
        ran = promote(source, target, "--json", "-v")
        assert CANARY not in ran.stdout + ran.stderr
        failed = promote(source.replace("/simple/", "/none/"), target, code=5)
        assert CANARY not in failed.stdout + failed.stderr


class SlowSource:
    """A simple index that sends only half of one file until it may go on."""

    def __init__(self, files: list[pathlib.Path], slow: pathlib.Path):
        self.files = contents(files)
        self.slow = slow.name
        self.asked: list[str] = []
        self.half = threading.Event()
        self.may_go_on = threading.Event()

    def handler(self):
        source = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_GET(self):
                name = self.path.rpartition("/")[2].replace("%2B", "+")
                if not name:
                    files = [{"filename": each, "url": each.replace("+", "%2B"), "hashes": {}} for each in source.files]
                    page = {"meta": {"api-version": "1.1"}, "name": "script-only", "files": files}
                    self.reply(JSON, json.dumps(page).encode())
                else:
                    source.asked.append(name)
                    self.reply("application/zip", source.files[name], slowly=name == source.slow)

            def reply(self, kind, body, slowly=False):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                half = len(body) // 2
                self.wfile.write(body[:half])
                if slowly and not source.may_go_on.is_set():
                    source.half.set()
                    source.may_go_on.wait(60)
                self.wfile.write(body[half:])

        return Handler


def start(command: list[str], environment: dict[str, str], **options) -> subprocess.Popen:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "text": True, **options}
    return subprocess.Popen(command, env=environment, **quiet)


def test_a_killed_download_is_completed_by_the_same_command(
    command, promote, release, target, packages, cache, environment
):
    first, second = release.files
    slow = SlowSource(release.files, second)
    with serving(slow.handler()) as url:
        run = start(command(url + "/", target), environment)
        wait_until(lambda: slow.half.is_set() and first.name in left_in(cache), run)
        run.kill()
        run.wait()
        slow.may_go_on.set()
        left = left_in(cache)
        assert second.name not in left and received(packages) == {}
        promote(url + "/", target)
    assert sorted(slow.asked) == [first.name, second.name, second.name]
    assert received(packages) == contents(release.files)
    assert left_in(cache) == []


def test_a_promotion_killed_between_two_uploads_is_completed_by_the_same_command(
    command, promote, release, cache, environment
):
    with fake_index("--json", "--hold", *map(str, release.files)) as source, fake_index("--plan", "ok,hang") as target:
        arguments = (source + "/simple/", target + "/")
        run = start(command(*arguments), environment)
        wait_until(lambda: len(log_of(target)) == 2, run)
        run.kill()
        run.wait()
        ran = promote(*arguments)
        first, second = (file.name for file in release.files)
        assert sorted(ran.stdout.splitlines()) == [f"{first} identical", f"{second} uploaded"]
        assert names_of(log_of(target)) == [first, second, second]
    assert left_in(cache) == []


def test_a_stopped_download_says_so_and_leaves_nothing_half_written(command, release, target, cache, environment):
    slow = SlowSource(release.files, release.files[1])
    with serving(slow.handler()) as url:
        run = start(command(url + "/", target), environment, stderr=subprocess.PIPE)
        wait_until(slow.half.is_set, run)
        run.terminate()
        _, words = run.communicate(timeout=30)
        slow.may_go_on.set()
    assert run.returncode == 143 and "publishing was stopped" in words
    assert not any(name.startswith(".") or name == release.files[1].name for name in left_in(cache))
