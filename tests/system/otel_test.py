"""Spans of runs at a collector of OpenTelemetry, whose judge is OpenTelemetry's own protocol."""

import json
import re
import signal
import socket
import subprocess
import uuid
from datetime import datetime

import pytest
from act_workflows import Workflows
from jobs import Jobs
from otel_collector import attributes, collecting
from processes import start, wait_until

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
RUN = ("test", "matrix.yaml", "cp*-plain")
CANARY = "canary-5d41402abc4b2a76"


@pytest.fixture
def collector():
    with collecting() as one:
        yield one


@pytest.fixture
def traced(script, collector):
    """A project whose runs are exported. Its builds print the span that they belong to."""
    source = script.directory / "make_wheel.py"
    source.write_text('import os\nprint("parent:", os.environ.get("TRACEPARENT"))\n' + source.read_text())
    script.commit()
    script.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.url
    return script


def nanoseconds(trace: dict, name: str) -> int:
    return round(datetime.fromisoformat(trace[f"{name}_timestamp"]).timestamp() * 1000) * 1_000_000


def printed_parent(outcome: dict) -> str:
    """The TRACEPARENT that the build's program saw."""
    with open(outcome["log"]) as log:
        (line,) = [line for line in log if line.startswith("parent:")]
    return line.split()[1]


def check_tree(spans: list) -> None:
    """Every span has its own id, and is within the times of its parent, if that was exported."""
    by_id = {span.span_id: span for span in spans}
    assert len(by_id) == len(spans)
    for span in spans:
        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
        parent = by_id.get(span.parent_span_id)
        if parent is None:
            assert span.name.startswith("pinwheel ")
            continue
        assert parent.start_time_unix_nano <= span.start_time_unix_nano
        assert span.end_time_unix_nano <= parent.end_time_unix_nano


def test_a_run_is_a_trace_with_the_times_of_the_report(traced, collector):
    report = traced.report(*RUN)
    (request,) = collector.requests()
    resource = attributes(request.resource_spans[0].resource)
    assert resource["service.name"] == "pinwheel"
    assert resource["service.version"]
    assert collector.headers[0][""] == "/v1/traces"
    spans = collector.spans()
    check_tree(spans)
    assert len({span.trace_id for span in spans}) == 1
    run = collector.span("pinwheel test")
    assert run.parent_span_id == b""
    assert attributes(run)["cicd.pipeline.result"] == "success"
    steps = {span.name: span for span in collector.children(run)}
    assert set(steps) == {step for step, outcome in report.items() if outcome["state"] == "done"}
    for name, span in steps.items():
        (attempt,) = collector.children(span)
        (trace,) = report[name]["trace"]
        assert attempt.start_time_unix_nano == nanoseconds(trace, "worker_start")
        assert attempt.end_time_unix_nano == nanoseconds(trace, "worker_completed")
        assert attributes(attempt)["pinwheel.attempt.cores"] == trace["cores"]
        phases = {phase.name: phase for phase in collector.children(attempt)}
        begun = {name.removesuffix("_start_timestamp") for name in trace if name.endswith("_start_timestamp")}
        assert phases.keys() == begun - {"worker"}
        waits = [attributes(event) for event in attempt.events]
        assert [(wait["pinwheel.wait.cause"], wait["pinwheel.wait.ms"]) for wait in waits] == [
            (wait["for"], wait["ms"]) for wait in trace.get("waits", [])
        ]
        assert attributes(span)["pinwheel.step.key"] == report[name]["key"]
        links = {attributes(link)["cicd.pipeline.task.name"]: link.span_id for link in span.links}
        assert links == {need: steps[need].span_id for need in report[name].get("needs", [])}
    (built,) = collector.children(steps["build:plain"])
    assert printed_parent(report["build:plain"]) == f"00-{built.trace_id.hex()}-{built.span_id.hex()}-01"


def test_the_export_is_in_no_key(traced, collector):
    without = traced.report(*RUN, OTEL_SDK_DISABLED="true")
    assert collector.bodies == []
    assert printed_parent(without["build:plain"]) == "None"
    again = traced.report(*RUN)
    assert {outcome["state"] for outcome in again.values()} == {"reused"}
    assert [span.name for span in collector.spans()] == ["pinwheel test"]
    assert attributes(collector.span("pinwheel test"))["pinwheel.steps.reused"] == len(again)


def test_the_callers_span_is_the_parent(traced, collector):
    report = traced.report(*RUN, TRACEPARENT=CALLER, TRACESTATE="vendor=1")
    assert {span.trace_state for span in collector.spans()} == {"vendor=1"}
    assert {span.trace_id.hex() for span in collector.spans()} == {CALLER.split("-")[1]}
    assert collector.span("pinwheel test").parent_span_id.hex() == CALLER.split("-")[2]
    assert printed_parent(report["build:plain"]).split("-")[1] == CALLER.split("-")[1]


def test_a_malformed_parent_is_ignored_with_a_warning(traced, collector):
    ran = traced.run(*RUN, TRACEPARENT=CALLER.upper())
    assert "`TRACEPARENT` is malformed, so a new trace begins" in ran.stderr
    assert collector.span("pinwheel test").parent_span_id == b""


def test_the_jobs_of_a_release_are_one_trace(traced, collector, tmp_path):
    jobs = Jobs(traced, tmp_path / "jobs")
    outcomes, artifacts = jobs.make_all()
    jobs.finish(*artifacts)
    spans = collector.spans()
    assert len({span.trace_id for span in spans}) == 1
    runs = [span for span in spans if span.name.startswith("pinwheel ")]
    assert {run.name for run in runs} == {"pinwheel build", "pinwheel test", "pinwheel release"}
    assert len({run.span_id for run in runs}) == len(runs)
    builds = {span.name: span.span_id for span in spans if span.name.startswith("build:")}
    tests = [span for span in spans if span.name.startswith("test:")]
    assert builds and tests
    for test in tests:
        links = {attributes(link)["cicd.pipeline.task.name"]: link.span_id for link in test.links}
        made = {need: span for need, span in links.items() if need.startswith("build:")}
        assert made and all(builds[need] == span for need, span in made.items())
    (publication,) = [span for span in spans if span.name == "publish:index"]
    linked = {link.span_id for link in publication.links}
    assert set(builds.values()) <= linked


def test_two_jobs_that_make_one_result_have_two_spans(traced, collector, tmp_path):
    jobs = Jobs(traced, tmp_path / "jobs")
    build = jobs.rows("build")[0]["step"]
    made = [jobs.build(build)[0] for _ in range(2)]
    (test,) = [row["step"] for row in jobs.rows("test") if row["needs"] == [build]]
    jobs.test(test, made[1].directory / "out")
    spans = collector.spans()
    check_tree(spans)
    assert len({span.trace_id for span in spans}) == 1
    first, second = (span for span in spans if span.name == build)
    assert attributes(first)["pinwheel.step.key"] == attributes(second)["pinwheel.step.key"]
    # The test refers to the job whose result it used.
    links = {attributes(link)["cicd.pipeline.task.name"]: link.span_id for link in collector.span(test).links}
    assert links[build] == second.span_id


def test_a_link_to_the_result_of_an_earlier_run_leads_into_its_trace(traced, collector):
    traced.run("build", "matrix.yaml", "cp*-plain")
    build = collector.span("build:plain")
    traced.run(*RUN)
    (test,) = [span for span in collector.spans() if span.name.startswith("test:")]
    assert test.trace_id != build.trace_id
    links = {attributes(link)["cicd.pipeline.task.name"]: link for link in test.links}
    assert (links["build:plain"].trace_id, links["build:plain"].span_id) == (build.trace_id, build.span_id)


@pytest.mark.takes(40)
def test_generated_workflows_export_one_trace_by_own_lines(script, collector, tmp_path):
    workflows = Workflows(script, tmp_path / "act")
    path = script.directory / ".github/workflows/pinwheel-ci.yml"
    place = "# pinwheel: keep workflow\n"
    lines = f"{place}env:\n  OTEL_EXPORTER_OTLP_ENDPOINT: {collector.url}\n"
    path.write_text(path.read_text().replace(place, lines))
    workflows.generate()
    assert lines in path.read_text()
    ran = workflows.run("ci", "push")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    spans = collector.spans()
    check_tree(spans)
    assert len({span.trace_id for span in spans}) == 1
    runs = [span.name for span in spans if span.name.startswith("pinwheel ")]
    assert sorted(set(runs)) == ["pinwheel build", "pinwheel release", "pinwheel test"]
    builds = {span.name: span.span_id for span in spans if span.name.startswith("build:")}
    linked = {link.span_id for span in spans if span.name.startswith("test:") for link in span.links}
    assert len(builds) == 2 and set(builds.values()) <= linked


def test_a_step_that_runs_twice_in_a_run_of_ci_has_two_spans(traced, collector):
    ci = {"GITHUB_RUN_ID": "77", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/ops"}
    good = (traced.directory / "make_wheel.py").read_text()
    failing(traced)
    traced.report(*RUN, code=1, **ci)
    traced.report(*RUN, code=1, **ci)
    (traced.directory / "make_wheel.py").write_text(good)
    traced.commit()
    traced.report(*RUN, **ci)
    spans = collector.spans()
    check_tree(spans)
    assert len({span.trace_id for span in spans}) == 1
    assert len([span for span in spans if span.name == "build:plain"]) == 3


def failing(traced) -> None:
    (traced.directory / "make_wheel.py").write_text("import sys\nsys.exit('broken')\n")
    traced.commit()


@pytest.mark.parametrize("kind", ["500", "429", "refused", "slow", "silent"])
@pytest.mark.parametrize("outcome", ["passed", "failed"])
def test_a_collector_that_fails_is_a_warning(traced, collector, kind, outcome):
    code = 0
    if outcome == "failed":
        failing(traced)
        code = 1
    # Only where nothing answers does the deadline matter.
    timeout = {"500": "60000", "429": "60000", "slow": "5000"}.get(kind, "1500")
    if kind in ("500", "429"):
        collector.answers = [(int(kind), {"Retry-After": "1"}, b""), (400, {}, b"")]
    if kind == "slow":
        collector.hangs.set()
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if kind == "silent":
            # It never accepts, so nothing is answered. Without this, connections are refused.
            server.listen()
        if kind in ("silent", "refused"):
            traced.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = f"http://127.0.0.1:{server.getsockname()[1]}"
        ran = traced.run(*RUN, code=code, OTEL_EXPORTER_OTLP_TIMEOUT=timeout)
    (warning,) = [line for line in ran.stderr.splitlines() if line.startswith("warning: the trace was not exported")]
    assert "/v1/traces" in warning
    # Only what asks for it is sent again.
    assert len(collector.bodies) == {"500": 1, "429": 2, "slow": 1}.get(kind, 0)


def test_spans_that_are_rejected_are_a_warning(traced, collector):
    answer = {"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too \x1b[31mold"}}
    collector.answers = [(200, {}, json.dumps(answer).encode())]
    ran = traced.run(*RUN)
    assert "rejected spans of the trace (2): too" in ran.stderr
    assert "\x1b" not in ran.stderr


def test_a_header_is_sent_and_appears_nowhere(traced, collector, tmp_path):
    collector.answers = [(401, {"Content-Type": "text/plain"}, f"no {CANARY}".encode())]
    headers = f"Authorization=Bearer%20{CANARY}"
    source = traced.directory / "make_wheel.py"
    source.write_text("import os\nprint(sorted(os.environ.items()))\n" + source.read_text())
    traced.commit()
    log = tmp_path / "whole.log"
    ran = traced.run(*RUN, "-vv", "--json", "--log-file", str(log), OTEL_EXPORTER_OTLP_HEADERS=headers)
    assert collector.headers[0]["authorization"] == f"Bearer {CANARY}"
    assert "HTTP 401" in ran.stderr
    assert CANARY not in ran.stdout + ran.stderr + log.read_text()
    for directory in (traced.state, traced.output):
        for path in directory.rglob("*"):
            if path.is_file():
                assert CANARY.encode() not in path.read_bytes(), path


def test_hostile_output_is_text(traced, collector):
    noise = '"}]</script>\\x1b[2J\\u202e::error::x'
    (traced.directory / "make_wheel.py").write_text(
        f'import sys\nsys.stdout.buffer.write("error: {noise}\\n".encode() + b"\\xff\\n")\nsys.exit(1)\n'
    )
    traced.commit()
    report = traced.report(*RUN, code=1, OTEL_RESOURCE_ATTRIBUTES="team=%22%7D%5D%FF,word")
    resource = attributes(collector.requests()[0].resource_spans[0].resource)
    assert resource["team"] == '"}]\ufffd'
    failed = collector.span("build:plain")
    assert failed.status.code == failed.status.STATUS_CODE_ERROR
    assert failed.status.message == report["build:plain"]["error"]["message"]
    check_tree(collector.spans())


def test_a_compressed_request_is_the_same(traced, collector):
    traced.run(*RUN, OTEL_EXPORTER_OTLP_COMPRESSION="gzip")
    assert collector.headers[0]["content-encoding"] == "gzip"
    check_tree(collector.spans())


@pytest.mark.parametrize("answer", ["at once", "never"])
def test_an_interrupted_run_is_exported_without_delay(traced, collector, answer):
    source = traced.directory / "make_wheel.py"
    source.write_text("import time\ntime.sleep(60)\n" + source.read_text())
    traced.commit()
    if answer == "never":
        collector.hangs.set()
    run: subprocess.Popen = start(traced, f"SCCACHE_MARKER_{uuid.uuid4().hex}", "cp*-plain")
    wait_until(lambda: "build:plain" in traced.starts(), run)
    run.send_signal(signal.SIGINT)
    _, messages = run.communicate(timeout=300)
    assert run.returncode == 130, messages
    assert attributes(collector.span("pinwheel build"))["cicd.pipeline.result"] == "cancellation"
    assert attributes(collector.span("build:plain"))["cicd.pipeline.task.run.result"] == "cancellation"
    assert ("was not exported" in messages) == (answer == "never")
    if answer == "never":
        # Two seconds at most, instead of the ten of a run that ends by itself.
        assert re.search(r"was not exported.*no answer from .* within [12](\.\d+)? ?s", messages), messages
