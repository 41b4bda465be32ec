"""A bucket that fails in every way during a release: the release publishes the right bytes and reports the fault."""

import hashlib
from collections.abc import Callable

import pytest
from conftest import Project, digests
from jobs import Jobs
from s3_faults import (
    EVERYTHING,
    Answers,
    Changes,
    Fault,
    HangsUp,
    LosesAnswers,
    Proxy,
    failing,
    half,
    other_bytes,
    trickle,
)
from s3_server import BUCKET, bucket_client, s3_server

pytest.importorskip("moto")

# One fault of reading and one of writing are in the default tier.
DEFAULT = "500"
STORES = [pytest.mark.stores]
FAULTS_UNTIL_LEFT_ALONE = 3
# Requests in progress at the third fault continue: eight threads look results up, four write them.
LOOKED_UP_AT_ONCE = 8
WRITTEN_AT_ONCE = 4


class Bucket:
    """The bucket of a server, and releases of a project that use it."""

    def __init__(self, variables: dict[str, str], jobs: Jobs):
        self.variables = variables
        self.jobs = jobs
        self.client = bucket_client(variables)
        self.name = jobs.place.parent.name
        self.full = f"full-{self.name}"
        self.clean = jobs.job("clean")
        self.clean.run("release", "matrix.yaml", "--store", self.place(self.full), **variables)
        self.published = digests(self.clean.index)
        assert self.published != {}

    def place(self, prefix: str) -> str:
        return f"s3://{BUCKET}/{prefix}"

    def release(self, name: str, *stores: str, proxy: Proxy | None = None, **variables: str) -> tuple[Project, str]:
        """A release on its own machine, which publishes the same files as the clean one; and its output."""
        through = {"AWS_ENDPOINT_URL_S3": proxy.url} if proxy else {}
        job = self.jobs.job(name)
        options = [option for store in stores for option in ("--store", store)]
        ran = job.run("release", "matrix.yaml", *options, **self.variables | through | variables)
        assert digests(job.index) == self.published and job.wheels() == self.clean.wheels()
        return job, ran.stderr

    def objects(self, prefix: str) -> dict[str, bytes]:
        listed = self.client.list_objects_v2(Bucket=BUCKET, Prefix=prefix + "/").get("Contents", [])
        read = lambda key: self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return {one["Key"].removeprefix(prefix + "/"): read(one["Key"]) for one in listed}

    def check_whole(self, prefix: str) -> dict[str, bytes]:
        """The objects under a prefix, all of which match their names."""
        found = self.objects(prefix)
        for name, body in found.items():
            kind, digest = name.split("/")
            assert kind in ("ac", "cas")
            assert kind == "ac" or hashlib.sha256(body).hexdigest() == digest, name
        assert self.client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []) == []
        return found

    def check_heals(self, prefix: str) -> None:
        """A run that reaches the bucket leaves everything there, and the next one makes nothing."""
        self.release("after", self.place(prefix))
        job, printed = self.release("later", self.place(prefix) + ",ro")
        assert "the store `" not in printed
        assert not any(step.startswith(("build:", "test:")) for step in job.starts())


@pytest.fixture(scope="module")
def server():
    with s3_server() as variables:
        yield variables


@pytest.fixture(scope="module")
def bucket(server, make_project, tmp_path_factory):
    """Three builds are looked for, and six results kept: enough to be left alone."""
    place = tmp_path_factory.mktemp("bucket")
    script = make_project("script", place / "work/project")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["a", "b", "c"]))
    return Bucket(server, Jobs(script, place / "jobs"))


@pytest.fixture(scope="module")
def wide_bucket(server, make_project, tmp_path_factory):
    """More builds than can be asked for, or kept, before three have failed."""
    place = tmp_path_factory.mktemp("wide")
    script = make_project("script", place / "work/project")
    flavors = [f"f{number}" for number in range(FAULTS_UNTIL_LEFT_ALONE + LOOKED_UP_AT_ONCE + 1)]
    script.edit(lambda matrix: matrix["axes"].update(flavor=flavors))
    return Bucket(server, Jobs(script, place / "jobs"))


def warnings(printed: str, place: str, use: str) -> list[str]:
    """Why the place could not be used like that: the reported causes."""
    begin = f"the store `{place}` could not be {use}: "
    return [line.split(begin)[1] for line in printed.splitlines() if begin in line]


def is_left_alone(printed: str, place: str, use: str) -> bool:
    line = f"the store `{place}` is not {use} any more in this run: it failed {FAULTS_UNTIL_LEFT_ALONE} times"
    assert printed.count(line) <= 1
    return line in printed


def check_left_alone_after(requests: int, name: str, threads: int) -> None:
    """No more were sent than those that count, and those of the other threads at that moment."""
    most = FAULTS_UNTIL_LEFT_ALONE + threads - 1
    assert FAULTS_UNTIL_LEFT_ALONE <= requests <= most * TRIES.get(name, 1)


def in_tiers(faults: dict) -> list:
    """The faults of a bucket: all but one are in the tier `stores`."""
    return [pytest.param("bucket", name, marks=[] if name == DEFAULT else STORES) for name in faults]


READ_FAULTS: dict[str, tuple[Callable[[], Fault], str, str]] = {
    # The fault, the expected warning, and its hint.
    "500": (lambda: Answers(500, "InternalError", *EVERYTHING), "answered 500 to GET", ""),
    "503": (lambda: Answers(503, "SlowDown", *EVERYTHING), ": SlowDown", ""),
    "record-503": (lambda: Answers(503, "SlowDown", "get-blob"), ": SlowDown", ""),
    "cut": (lambda: Changes(half, "get-blob"), "", ""),
    "wrong": (lambda: Changes(other_bytes, "get-blob"), "", ""),
    "slow": (lambda: Changes(trickle, "get-blob"), "", ""),
    "no-bucket": (lambda: Answers(404, "NoSuchBucket", *EVERYTHING), ": NoSuchBucket", "the name of the bucket"),
    "expired": (lambda: Answers(400, "ExpiredToken", *EVERYTHING), ": ExpiredToken", "AWS_SESSION_TOKEN"),
    "forbidden": (lambda: Answers(403, "AccessDenied", *EVERYTHING), ": AccessDenied", "the credentials"),
    "clock": (lambda: Answers(403, "RequestTimeTooSkewed", *EVERYTHING), ": the clock", "2026-01-02T04:05:06Z"),
}
# Faults that are also tried with more builds than parallel lookups, so that some are never looked up.
WIDE = ("500", "wrong")
# How often the client tries before it counts a fault, at most: not again where it took seconds, as on a busy machine.
# curl itself tries again what a connection that was open before loses.
TRIES = {"500": 2, "503": 2, "record-503": 2, "cut": 2, "slow": 2, "hang-up": 4}


@pytest.mark.takes(15)
@pytest.mark.parametrize(
    ("kind", "name"), [*in_tiers(READ_FAULTS), *(pytest.param("wide_bucket", name, marks=STORES) for name in WIDE)]
)
def test_a_release_that_cannot_read_a_bucket_makes_everything_and_says_why(request, kind, name):
    bucket = request.getfixturevalue(kind)
    make, cause, hint = READ_FAULTS[name]
    place = bucket.place(bucket.full)
    with failing(bucket.variables["AWS_ENDPOINT_URL_S3"], make()) as proxy:
        limits = {"PINWHEEL_TRANSFER_TIME": "1s"} if name == "slow" else {}
        job, printed = bucket.release(name, place + ",ro", proxy=proxy, **limits)
    made = {step for step in job.starts() if step.startswith(("build:", "test:"))}
    assert made == {step for step in bucket.clean.starts() if step.startswith(("build:", "test:"))}
    causes = warnings(printed, place, "read")
    assert all(cause in one for one in causes) and len(set(causes)) == len(causes)
    # The same cause is reported once; each damaged object is named.
    assert len(causes) == 1 if cause else 1 <= len(causes) < FAULTS_UNTIL_LEFT_ALONE + LOOKED_UP_AT_ONCE
    assert hint in printed
    assert is_left_alone(printed, place, "read")
    assert not warnings(printed, place, "written to")
    check_left_alone_after(proxy.count(*proxy.faults[0].on), name, LOOKED_UP_AT_ONCE)


def release_that_cannot_write(bucket: Bucket, name: str, fault: Fault, cause: str) -> tuple[Proxy, str, str]:
    """A release with a bucket that it cannot write to, and reports why, once; the proxy, the prefix in the
    bucket, and all that it said."""
    prefix = f"write-{bucket.name}-{name}"
    place = bucket.place(prefix)
    with failing(bucket.variables["AWS_ENDPOINT_URL_S3"], fault) as proxy:
        _, printed = bucket.release(name, place, proxy=proxy)
    output = warnings(printed, place, "written to")
    # The error of an aborted connection depends on its progress.
    assert len(output) == 1 and cause in output[0] if cause else output
    return proxy, prefix, printed


# A blob is asked for where an answer to HEAD does not say why.
WRITING = ("head", "get-blob", "put-blob", "put-result")
WRITE_FAULTS: dict[str, tuple[Callable[[], Fault], str]] = {
    "500": (lambda: Answers(500, "InternalError", "put-blob"), ": InternalError"),
    "503": (lambda: Answers(503, "SlowDown", "put-blob"), ": SlowDown"),
    "hang-up": (lambda: HangsUp("put-blob"), ""),
    "full": (lambda: Answers(507, "XMinioStorageFull", "put-blob"), ": XMinioStorageFull"),
    "quota": (lambda: Answers(403, "QuotaExceeded", "put-blob"), ": QuotaExceeded"),
    "too-large": (lambda: Answers(400, "EntityTooLarge", "put-blob"), ": EntityTooLarge"),
    "full-results": (lambda: Answers(507, "XMinioStorageFull", "put-result"), ": XMinioStorageFull"),
    "expired": (lambda: Answers(400, "ExpiredToken", *WRITING), ": ExpiredToken"),
    "no-bucket": (lambda: Answers(404, "NoSuchBucket", *WRITING), ": NoSuchBucket"),
}


@pytest.mark.takes(15)
@pytest.mark.parametrize(
    ("kind", "name"), [*in_tiers(WRITE_FAULTS), pytest.param("wide_bucket", "500", marks=STORES)]
)
def test_a_release_that_cannot_write_to_a_bucket_says_why_and_leaves_nothing_half_written(request, kind, name):
    bucket = request.getfixturevalue(kind)
    make, cause = WRITE_FAULTS[name]
    proxy, prefix, printed = release_that_cannot_write(bucket, name, make(), cause)
    assert is_left_alone(printed, bucket.place(prefix), "written to")
    assert not warnings(printed, bucket.place(prefix), "read")
    found = bucket.check_whole(prefix)
    assert not any(path.startswith("ac/") for path in found)
    assert found == {} or name == "full-results"
    sent = proxy.count("put-result" if name == "full-results" else "put-blob")
    if name == "expired":
        assert sent == 0
    else:
        check_left_alone_after(sent, name, WRITTEN_AT_ONCE)
    bucket.check_heals(prefix)


@pytest.mark.stores
@pytest.mark.takes(10)
def test_a_bucket_that_is_read_and_written_with_an_expired_token_is_left_alone_for_both(bucket):
    place = bucket.place(bucket.full)
    with failing(bucket.variables["AWS_ENDPOINT_URL_S3"], Answers(403, "ExpiredToken", *EVERYTHING)) as proxy:
        _, printed = bucket.release("both", place, proxy=proxy)
    for use in ("read", "written to"):
        assert [": ExpiredToken" in one for one in warnings(printed, place, use)] == [True]
        assert is_left_alone(printed, place, use)


@pytest.mark.stores
@pytest.mark.takes(5)
def test_a_bucket_that_nobody_made_is_no_bucket_without_results(bucket):
    # By the server itself, not by the proxy.
    _, printed = bucket.release("nowhere", "s3://no-such-bucket/prefix")
    for use in ("read", "written to"):
        (cause,) = warnings(printed, "s3://no-such-bucket/prefix", use)
        assert "answered 404" in cause and ": NoSuchBucket" in cause


PART_FAULTS: dict[str, tuple[Callable[[], Fault], str]] = {
    "part": (lambda: Answers(500, "InternalError", "part", first=2), "InternalError"),
    "part-hang-up": (lambda: HangsUp("part"), ""),
    "complete": (lambda: Answers(200, "InternalError", "complete"), "answered 200 to POST"),
}


@pytest.fixture(scope="module")
def long_bucket(server, make_project, tmp_path_factory):
    """The same, of a project with one wheel that is sent in two parts."""
    place = tmp_path_factory.mktemp("long")
    script = make_project("script", place / "work/project")

    def lengthen(matrix: dict) -> None:
        matrix["axes"].update(flavor=["plain"])
        matrix["build"]["command"].extend(["--pad", "70000000"])

    script.edit(lengthen)
    return Bucket(server, Jobs(script, place / "jobs"))


@pytest.mark.stores
@pytest.mark.takes(30)
@pytest.mark.parametrize("name", PART_FAULTS)
def test_a_failed_upload_in_parts_is_removed_and_reported(long_bucket, name):
    make, cause = PART_FAULTS[name]
    proxy, prefix, _ = release_that_cannot_write(long_bucket, name, make(), cause)
    assert proxy.count("begin") == 1
    assert [(one.what, one.status) for one in proxy.asked if one.what == "abort"] == [("abort", 204)]
    found = long_bucket.check_whole(prefix)
    wheel, *_ = long_bucket.clean.wheels().values()
    assert f"cas/{wheel}" not in found
    assert not any(wheel.encode() in body for path, body in found.items() if path.startswith("ac/"))
    long_bucket.check_heals(prefix)
    assert f"cas/{wheel}" in long_bucket.check_whole(prefix)


@pytest.mark.stores
@pytest.mark.takes(30)
@pytest.mark.parametrize("lost", [1, 100], ids=["the first", "every"])
def test_an_upload_in_parts_whose_last_answer_is_lost_has_succeeded(long_bucket, lost):
    prefix = f"lost-{lost}"
    place = long_bucket.place(prefix)
    with failing(long_bucket.variables["AWS_ENDPOINT_URL_S3"], LosesAnswers(lost, "complete")) as proxy:
        _, printed = long_bucket.release(f"lost-{lost}", place, proxy=proxy)
    assert warnings(printed, place, "written to") == []
    assert proxy.count("complete") > 1 and proxy.count("begin") == 1 and proxy.count("abort") == 0
    wheel, *_ = long_bucket.clean.wheels().values()
    assert f"cas/{wheel}" in long_bucket.check_whole(prefix)
    long_bucket.check_heals(prefix)
