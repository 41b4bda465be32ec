"""An index in a bucket of S3: pip and uv install from its web site, and no publisher breaks it."""

import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import threading

import pytest
from bucket_index import STATE, BucketIndex, bucket_index
from conftest import UPLOAD_TIME
from directory_index_test import by_pip, by_uv
from s3_faults import Fault, Handler
from s3_server import BUCKET

pytest.importorskip("moto")

GENERATION = re.compile(rb'"_generation": \d+|<!-- generation \d+ -->')
CANARY = "CanaryOfTheSecretKey0123456789abcdefghij"


class KillsAt(Fault):
    """Kills the program `victim` in place of the answer to its Nth write; the server may have written by then."""

    def __init__(self) -> None:
        super().__init__("put-result", "put-blob")
        self.at = 0
        self.written = False
        self.seen = 0
        self.victim: subprocess.Popen | None = None
        self.started = threading.Event()

    def arm(self, at: int, written: bool) -> None:
        self.at, self.written, self.seen, self.victim = at, written, 0, None
        self.started.clear()

    def concerns(self, what: str) -> bool:
        self.seen += what in self.on
        return what in self.on and self.seen == self.at

    def act(self, handler: Handler) -> int:
        assert self.started.wait(60)
        if self.written:
            handler.ask()
        os.kill(self.victim.pid, signal.SIGKILL)
        handler.close_connection = True
        return 0


class ForgetsConditions(Fault):
    """The answer of a server that ignores one of the conditions of a write."""

    def __init__(self) -> None:
        super().__init__("put-result", "put-blob")
        self.condition = ""

    def concerns(self, what: str) -> bool:
        return bool(self.condition) and what in self.on

    def act(self, handler: Handler) -> int:
        status, _, body = handler.ask()
        forgotten = status == 412 and self.condition in handler.headers
        handler.answer(200 if forgotten else status, b"" if forgotten else body, "application/xml")
        return status


@pytest.fixture(scope="module")
def kills():
    return KillsAt()


@pytest.fixture(scope="module")
def forgets():
    return ForgetsConditions()


@pytest.fixture(scope="module")
def buckets(kills, forgets):
    with bucket_index(kills, forgets) as index:
        yield index


@pytest.fixture
def index(buckets, tmp_path) -> BucketIndex:
    """An empty index of the test's own."""
    return buckets.at(tmp_path.name)


class Release:
    """A project whose wheels are made and tested, so that only their publication is left."""

    def __init__(self, script, version: str, index: BucketIndex, flavors=("plain",), text="{flavor}", target=None):
        self.script = script
        self.index = index

        def change(matrix):
            matrix["axes"]["flavor"] = list(flavors)
            matrix["environment"]["variables"]["SCRIPT_FLAVOR"] = text
            matrix.update(publish={"here": target or index.target}, channels={"release": {"publish": ["here"]}})

        script.edit(change)
        script.git("tag", "-d", "v1.2.0")
        script.git("tag", f"v{version}")
        script.run("test", "matrix.yaml", "--channel", "release")
        self.wheels = script.wheels()
        self.made = script.directory.parent / "made"
        shutil.copytree(script.state, self.made)

    def forget(self) -> None:
        """Forgets that the wheels were published."""
        shutil.rmtree(self.script.state)
        shutil.copytree(self.made, self.script.state)

    def publish(self, *options: str, code: int = 0, **variables: str) -> subprocess.CompletedProcess:
        self.forget()
        return self.script.run("release", "matrix.yaml", *options, code=code, **(self.index.variables | variables))

    def failure(self, code: int, **variables: str) -> dict:
        report = json.loads(self.publish("--json", code=code, **variables).stdout)
        (outcome,) = [each for each in report["outcomes"] if each["id"] == "publish:here"]
        assert outcome["state"] == "failed", report
        return outcome["error"]


@pytest.fixture
def release(project, index):
    """A function that makes a release of a version."""

    def make(version: str, **options) -> Release:
        name = f"{version}-{len(made)}/project"
        made.append(Release(project("script", name), version, index, **options))
        return made[-1]

    made: list[Release] = []
    return make


def untimed(contents: dict[str, bytes]) -> dict[str, bytes]:
    """The contents without what differs between two publications of the same files."""
    pages = {
        path: GENERATION.sub(b"", UPLOAD_TIME.sub(b"", data))
        for path, data in contents.items()
        if not path.startswith(".pinwheel/")
    }
    return pages | {STATE: json.dumps(places_of(contents)).encode()}


def places_of(contents: dict[str, bytes]) -> dict:
    state = json.loads(UPLOAD_TIME.sub(b'"upload-time": ""', contents[STATE].replace(b'"upload-time":', b'"upload-time": ')))
    assert state["complete"] == state["generation"]
    return state["places"]


class TestInstallers:
    def test_pip_and_uv_install_from_the_web_site_and_see_upload_times(self, release, index, tmp_path):
        for version in ("1.2.0", "1.3.0"):
            release(version, flavors=("plain", "loud")).publish()
        page = json.loads(index.get("plain/script-only/index.json"))
        times = {file["filename"].split("-")[1].partition("+")[0]: file["upload-time"] for file in page["files"]}
        newer = datetime.datetime.fromisoformat(times["1.3.0"]) - datetime.timedelta(microseconds=1)
        with index.site() as url:
            for place in ("", "plain/", "loud/"):
                for install in (by_pip, by_uv):
                    assert install(url + place, tmp_path, "script-only")[0] == "1.3.0"
            until = ("script-only", "--exclude-newer", newer.isoformat())
            assert by_uv(url, tmp_path, *until)[0] == "1.2.0"

    def test_index_check_finds_nothing_wrong(self, release, index):
        one = release("1.2.0", flavors=("plain", "loud"))
        one.publish()
        with index.site() as url:
            ran = subprocess.run([one.script.binary, "index", "check", url, "--json"], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        report = json.loads(ran.stdout)
        assert report["findings"] == [] and report["files"] == 1  # the root lists the default

    def test_objects_have_their_types_and_how_long_they_may_be_cached(self, release, index):
        release("1.2.0").publish()
        types = {path: (index.head(path)["ContentType"], index.head(path)["CacheControl"]) for path in index.paths() if "probe" not in path}
        (wheel,) = [path for path in types if path.endswith(".whl")]
        forever = "public, max-age=31536000, immutable"
        assert types[wheel] == ("application/octet-stream", forever)
        assert types[f"{wheel}.metadata"] == ("text/plain; charset=utf-8", forever)
        assert types["plain/script-only/index.html"] == ("text/html; charset=utf-8", "no-cache")
        assert types["index.json"] == ("application/vnd.pypi.simple.v1+json", "no-cache")


class TestPublication:
    def test_the_trace_records_the_bytes_received(self, release, index):
        report = json.loads(release("1.2.0").publish("--json").stdout)
        (outcome,) = [each for each in report["outcomes"] if each["id"] == "publish:here"]
        (trace,) = outcome["trace"]
        (wheel,) = [path for path in index.paths() if path.endswith(".whl")]
        assert trace["sent_bytes"] == index.head(wheel)["ContentLength"]
        # Its bytes and its metadata are read back.
        assert trace["fetched_bytes"] > trace["sent_bytes"]

    def test_publishing_again_writes_nothing(self, release, index):
        one = release("1.2.0")
        one.publish()
        before = index.contents()
        assert index.listed() == one.wheels
        writes = index.proxy.count("put-result", "put-blob")
        one.publish()
        assert index.contents() == before
        assert index.proxy.count("put-result", "put-blob") == writes

    def test_other_bytes_under_a_name_change_nothing(self, release, index):
        release("1.2.0").publish()
        before = index.contents()
        other = release("1.2.0", text="other")
        (name,) = other.wheels
        error = other.failure(code=6)
        assert name in error["message"] + json.dumps(error.get("causes", []))
        assert index.contents() == before

    def test_pages_of_somebody_else_are_not_replaced(self, release, index):
        index.put("index.html", b"<p>ours</p>")
        error = release("1.2.0").failure(code=2)
        assert f"`{index.url}` has an `index.html` that pinwheel did not write" in error["message"]
        assert index.contents() == {"index.html": b"<p>ours</p>"}

    def test_a_page_of_somebody_else_stays_and_its_removal_lets_the_next_publication_complete(self, release, index):
        index.put("script-only/index.html", b"<p>ours</p>")
        one = release("1.2.0")
        error = one.failure(code=2)
        assert f"`{index.url}` has a `script-only/index.html` that pinwheel did not write" in error["message"]
        assert index.get("script-only/index.html") == b"<p>ours</p>"
        ran = one.script.run("status", "matrix.yaml", code=5, **index.variables)
        assert "did not write all pages" in ran.stderr
        index.client.delete_object(Bucket=BUCKET, Key=f"{index.prefix}/script-only/index.html")
        one.publish()
        assert index.listed() == one.wheels
        one.script.run("status", "matrix.yaml", **index.variables)

    @pytest.mark.parametrize("state", [b"", b"{}", b"[[[", b'{"schema": "pinwheel-bucket-index/1"}'])
    def test_a_damaged_state_is_an_error_and_stays(self, release, index, state):
        one = release("1.2.0")
        one.publish()
        index.put(STATE, state)
        before = index.contents()
        error = one.failure(code=6)
        assert "the state of the index is damaged" in error["message"] and STATE.split("/")[0] in error["hint"]
        assert index.contents() == before

    def test_after_an_earlier_state_is_restored_the_next_publication_writes_its_pages(self, release, index):
        first, second = release("1.2.0"), release("1.3.0")
        first.publish()
        earlier = index.get(STATE)
        second.publish()
        index.put(STATE, earlier)
        third = release("1.4.0")
        third.publish()
        assert index.listed() == first.wheels | third.wheels

    def test_a_state_of_another_version_is_an_error_that_says_so(self, release, index):
        index.put(STATE, b'{"schema": "pinwheel-bucket-index/2"}')
        error = release("1.2.0").failure(code=6)
        assert "another version of pinwheel" in error["message"] and error["hint"] == "update pinwheel"

    def test_a_stored_file_with_other_bytes_is_never_listed(self, release, index):
        one = release("1.2.0")
        ((name, digest),) = one.wheels.items()
        wheel = next(one.script.output.glob("*.whl")).read_bytes()
        index.put(f"files/{digest}/{name}", bytes(byte ^ 1 for byte in wheel))
        error = one.failure(code=6)
        assert f"files/{digest}/{name}" in error["message"] and "remove that object" in error["hint"]
        assert index.listed() == {} and STATE not in index.paths()

    @pytest.mark.parametrize("condition", ["If-Match", "If-None-Match"])
    def test_a_server_that_ignores_conditions_is_refused(self, release, index, forgets, condition):
        one = release("1.2.0")
        forgets.condition = condition
        try:
            error = one.failure(code=4)
        finally:
            forgets.condition = ""
        assert "ignores conditions of writes" in error["message"]
        assert index.paths() == [".pinwheel/probe"]

    def test_wrong_keys_are_an_error_and_the_secret_appears_nowhere(self, release, index):
        one = release("1.2.0")
        one.forget()
        ran = one.script.run(
            "release", "matrix.yaml", "-vv", "--json", code=6, **(index.variables | {"AWS_SECRET_ACCESS_KEY": CANARY})
        )
        assert index.url in ran.stdout and "SignatureDoesNotMatch" in ran.stdout
        texts = [path.read_bytes() for path in one.script.state.rglob("*") if path.is_file()]
        assert not any(CANARY.encode() in text for text in [*texts, ran.stdout.encode(), ran.stderr.encode()])
        assert index.paths() == []

    def test_a_bucket_that_is_missing_is_named(self, release, index):
        one = release("1.2.0", target={"kind": "s3", "bucket": "s3://nowhere/whl", "label": "local"})
        error = one.failure(code=6)
        assert "s3://nowhere/whl" in error["message"]


def publish_and_kill(one: Release, kills: KillsAt) -> int:
    """Publishes until the armed kill. The exit code."""
    one.forget()
    with subprocess.Popen(
        one.script.command("release", "matrix.yaml"),
        cwd=one.script.directory,
        env={**one.script.environment, **one.index.variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as kills.victim:
        kills.started.set()
    return kills.victim.returncode


@pytest.mark.releases
@pytest.mark.takes(60)
@pytest.mark.parametrize("written", [False, True], ids=["before-the-write", "after-the-write"])
def test_after_a_kill_at_any_write_the_next_publication_completes_the_index(release, index, kills, written):
    first, second = release("1.2.0"), release("1.3.0")
    whole = None
    for at in range(100):
        index.clear()
        kills.arm(at, written)
        code = publish_and_kill(first, kills)
        index.listed()  # what pages list is there
        kills.arm(0, written)
        second.publish()
        state = json.loads(index.get(STATE))
        assert state["complete"] == state["generation"]
        assert index.listed() in (second.wheels, first.wheels | second.wheels)
        first.publish()
        assert index.listed() == first.wheels | second.wheels
        found = untimed(index.contents())
        whole = whole or found
        assert found == whole
        if at and code == 0:
            break
        assert code == (-signal.SIGKILL if at else 0)
    assert at > 10


class TestCommands:
    def test_yank_and_prune_change_the_pages(self, release, index, tmp_path):
        for version in ("1.2.0", "1.3.0"):
            one = release(version)
            one.publish()
        yank = ["index", "yank", index.url, "script-only==1.3.0", "--reason", "wrong"]
        assert "yanked" in one.script.run(*yank, **index.variables).stdout
        with index.site() as url:
            for install in (by_pip, by_uv):
                assert install(url, tmp_path, "script-only")[0] == "1.2.0"
        before = index.contents()
        assert "was already yanked" in one.script.run(*yank, **index.variables).stdout
        prune = ["index", "prune", index.url, "--keep-last", "1", "--releases"]
        ran = one.script.run(*prune, **index.variables)
        assert "dry run" in ran.stderr and index.contents() == before
        one.script.run("index", "yank", index.url, "script-only==1.3.0", "--undo", **index.variables)
        one.script.run(*prune, "--execute", **index.variables)
        assert index.listed() == one.wheels
        assert {path for path in before if path.startswith("files/")} <= set(index.paths())

    def test_a_place_without_an_index_is_an_error(self, script, index):
        for command in (["yank", index.url, "a==1"], ["prune", index.url, "--keep-last", "5"]):
            ran = script.run("index", *command, code=2, **index.variables)
            assert f"`{index.url}` has no package index of pinwheel" in ran.stderr
        ran = script.run("index", "yank", "s3://", "a==1", code=2)
        assert "s3://" in ran.stderr

    def test_status_lists_each_file(self, release, index):
        one = release("1.2.0", flavors=("plain", "loud"))

        def states(code: int) -> set[str]:
            ran = one.script.run("status", "matrix.yaml", "--json", code=code, **index.variables)
            return {file["state"] for file in json.loads(ran.stdout)["files"]}

        assert states(5) == {"missing"}
        one.publish()
        assert states(0) == {"published"}


@pytest.mark.parametrize("bucket", ["results/whl", "s3://", "s3:///whl", "s3://a b", "s3://My_Bucket/x", "s3://b/whl,ro", "s3://b/p?region=x", "https://b"])
def test_what_is_not_a_bucket_is_refused_where_it_stands(script, bucket):
    target = {"kind": "s3", "bucket": bucket, "label": "local"}
    script.edit(lambda matrix: matrix.update(publish={"here": target}, channels={"release": {"publish": ["here"]}}))
    ran = script.run("plan", "matrix.yaml", code=2)
    assert "is not a bucket" in ran.stderr and "matrix.yaml:" in ran.stderr and "s3://BUCKET/PREFIX" in ran.stderr
