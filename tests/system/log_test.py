"""The log of a command names what it started and decided, hides secrets, and is complete however the command ends."""

import ast
import json
import pathlib
import re
import shlex
import signal
import subprocess
import uuid

import pytest
from processes import left_behind, start, wait_for_none, wait_until

VALUE = "v4lue-0f-a-variable"
PASSWORD = "p4ssw0rd-in-a-url"
SIGNATURE = "s1gn4ture-in-a-query"


@pytest.fixture
def script(project):
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return script


def log_of(project) -> str:
    """The text of the only run's log."""
    (path,) = project.state.glob("logs/*/pinwheel.log")
    return path.read_text()


def events_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def started_by_pinwheel(traces: pathlib.Path) -> list[list[str]]:
    """The programs that pinwheel started, as the kernel saw them: each process without an ancestor that executed
    something, other than pinwheel itself, with the arguments of everything that it executed in turn, as `unshare` and
    shims do. A supervisor between the two executes nothing."""
    executed, parent = {}, {}
    for path in traces.iterdir():
        pid, text = int(path.suffix[1:]), path.read_text()
        for found in re.finditer(r"^(?:clone|clone3|v?fork)\(.* = (\d+)$", text, re.MULTILINE):
            parent[int(found[1])] = pid
        calls = re.findall(r'^execve\("[^"]*", \[(.*)\], .* = 0$', text, re.MULTILINE)
        quoted = [re.findall(r'"(?:[^"\\]|\\.)*"', call) for call in calls]
        if calls:
            executed[pid] = [" ".join(ast.literal_eval("b" + word).decode() for word in words) for words in quoted]
    root = next(pid for pid in executed if pid not in parent)
    direct = []
    for pid in executed:
        above = parent.get(pid)
        while above is not None and above not in executed:
            above = parent.get(above)
        if pid != root and above == root:
            direct.append(executed[pid])
    return direct


@pytest.mark.takes(20)
def test_the_log_names_each_process_that_was_started(script, tmp_path):
    traces = tmp_path / "traces"
    traces.mkdir()
    trace = ["strace", "-ff", "-qq", "-s", "4096", "-e", "trace=execve,clone,clone3,fork,vfork", "-o", str(traces / "t")]
    subprocess.run(
        trace + script.command("release", "matrix.yaml", "--log-format", "json"),
        cwd=script.directory,
        env=script.environment,
        check=True,
        capture_output=True,
        timeout=300,
    )
    events = events_of(log_of(script))
    started = [event for event in events if event["event"] == "process_started"]
    seen = started_by_pinwheel(traces)
    assert len(seen) >= 5
    named = [" ".join(event["argv"]) for event in started]
    assert len(named) == len(seen)
    assert [chain for chain in seen if not set(chain) & set(named)] == []
    assert set(named) <= {arguments for chain in seen for arguments in chain}
    ended = {event["process"]: event for event in events if event["event"] == "process_ended"}
    assert set(ended) == {event["process"] for event in started}
    assert all(event["code"] == 0 and event["peak_bytes"] > 0 for event in ended.values())
    assert all("PATH" in event["variables"] for event in started if len(event["variables"]) > 1)


def test_the_log_says_why_steps_run_and_which_files_were_put_in_place(script):
    script.run("release", "matrix.yaml", "--log-format", "json")
    events = events_of(log_of(script))
    decided = {event["step"]: event for event in events if event["event"] == "step_decided"}
    assert {event["because"] for event in decided.values()} == {"never run"}
    placed = {pathlib.Path(event["path"]).name: event["sha256"] for event in events if event["event"] == "file_placed"}
    assert script.wheels().items() <= placed.items()
    assert {"interpreter", "cache", "resolution", "locked", "published"} <= {event["event"] for event in events}
    for path in script.state.glob("logs/*/pinwheel.log"):
        path.unlink()
    script.edit(lambda matrix: matrix["environment"]["variables"].update(MORE="1"))
    script.run("test", "matrix.yaml", "--log-format", "json")
    decided = {event["step"]: event for event in events_of(log_of(script)) if event["event"] == "step_decided"}
    assert decided["build:plain"]["decision"] == "run"
    assert any("MORE" in change for change in decided["build:plain"]["changes"])


@pytest.mark.parametrize("form", ["plain", "json"])
def test_no_secret_is_in_the_log_nor_in_what_is_shown(script, form, tmp_path):
    address = f"https://user:{PASSWORD}@127.0.0.1:1/x?signature={SIGNATURE}"
    source = script.directory / "make_wheel.py"
    source.write_text(source.read_text().replace("options = parser.parse_args()", "options, _ = parser.parse_known_args()"))
    script.edit(lambda matrix: matrix["build"]["command"].extend(["--from", address, "--with", VALUE, PASSWORD]))
    named = tmp_path / "named.log"
    ran = script.run(
        "build", "matrix.yaml", "-vv", "--log-format", form, "--log-file", str(named),
        MY_API_TOKEN=VALUE, SOME_ADDRESS=address,
    )  # fmt: skip
    for text in (log_of(script), named.read_text(), ran.stderr):
        assert "make_wheel.py" in text and "MY_API_TOKEN" not in text and "https://***@127.0.0.1:1/x?***" in text
        assert [secret for secret in (VALUE, PASSWORD, SIGNATURE) if secret in text] == []
    assert named.read_text() == log_of(script)
    if form == "json":
        assert {"process_started", "step_finished"} <= {event["event"] for event in events_of(ran.stderr)}


def test_verbose_shows_processes_and_very_verbose_files_too(script):
    once = script.run("build", "matrix.yaml", "-v").stderr
    assert " process_started " in once and " step_decided " in once and " locked " not in once
    assert "--log-format" not in once.split(" command ")[0]
    script.start_afresh()
    assert " locked " in script.run("build", "matrix.yaml", "-vv").stderr


def test_a_log_file_that_cannot_be_written_is_an_error_before_anything_starts(script, tmp_path):
    refused = script.run("build", "matrix.yaml", "--log-file", str(tmp_path / "missing" / "x.log"), code=2)
    assert "x.log` cannot be written: no such file or directory" in refused.stderr
    assert "hint: name another file with `--log-file`" in refused.stderr
    assert script.journal() == [] and script.wheels() == {}


def test_the_log_of_a_failed_run_is_complete_and_named(script):
    script.edit(lambda matrix: matrix["build"].update(command=["python", "-c", "raise SystemExit(7)"]))
    failed = script.run("build", "matrix.yaml", code=1)
    (path,) = script.state.glob("logs/*/pinwheel.log")
    assert f"log of this command: {path}\n" in failed.stderr
    lines = path.read_text().splitlines()
    assert lines[-1].endswith("command_ended exit=1")
    assert any("process_ended" in line and "code=7" in line for line in lines)
    assert any("step_ended step=build:plain state=failed" in line for line in lines)


def test_a_run_that_fails_before_its_first_step_has_a_log_too(script):
    script.edit(lambda matrix: matrix["environment"].update(pip=["there-is-no-such-project-2f5c==1"]))
    failed = script.run("build", "matrix.yaml", code=2, PIP_NO_INDEX="1")
    (path,) = script.state.glob("logs/*/pinwheel.log")
    assert str(path) in failed.stderr
    assert "there-is-no-such-project-2f5c" in path.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_log_of_an_interrupted_run_has_all_that_happened(script, number):
    script.edit(lambda matrix: matrix["build"]["command"].extend(["--pause", "60"]))
    marker = f"SCCACHE_MARKER_{uuid.uuid4().hex}"
    run = start(script, marker)
    wait_until(lambda: any("sleep" in process for process in left_behind(marker)), run)
    run.send_signal(number)
    run.communicate(timeout=20)
    assert wait_for_none(marker) == []
    lines = log_of(script).splitlines()
    begun = [line for line in lines if "process_started" in line and "make_wheel.py" in line]
    assert len(begun) == 1 and shlex.split(begun[0])[0].endswith("Z")
    if number == signal.SIGINT:
        assert lines[-1].endswith("command_ended exit=130")
        assert any("ending=canceled" in line for line in lines)
    else:
        assert "command_ended" not in lines[-1]
