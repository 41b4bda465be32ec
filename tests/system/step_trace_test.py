"""The trace that every run records for each step that it executes."""

import json
from datetime import datetime

PHASES = ("input_fetch", "execution", "output_upload")


def finished(project) -> dict[str, dict]:
    """The outcomes in the journal, by step."""
    lines = (project.state / "journal.jsonl").read_text().splitlines()[1:]
    records = [json.loads(line) for line in lines]
    return {record["finished"]["id"]: record["finished"] for record in records if "finished" in record}


def milliseconds(trace: dict, name: str) -> int:
    return round(datetime.fromisoformat(trace[f"{name}_timestamp"]).timestamp() * 1000)


def check_times(outcome: dict) -> None:
    """The times of the only attempt are in order, and the reasons add up to its waiting time."""
    (trace,) = outcome["trace"]
    start, end = milliseconds(trace, "worker_start"), milliseconds(trace, "worker_completed")
    waits = [wait["ms"] for wait in trace.get("waits", []) if wait["for"] != "lock"]
    assert milliseconds(trace, "queued") + sum(waits) == start
    # Both are rounded, and the attempt ends after its work.
    assert end - start >= outcome["elapsed_ms"] + outcome.get("installing_ms", 0) - 1
    last = start
    for phase in PHASES:
        if f"{phase}_start_timestamp" not in trace:
            continue
        assert last <= milliseconds(trace, f"{phase}_start") <= milliseconds(trace, f"{phase}_completed") <= end
        last = milliseconds(trace, f"{phase}_completed")


def test_every_executed_step_has_a_trace_in_the_journal(project):
    script = project("script")
    report = json.loads(script.run("test", "matrix.yaml", "cp*-plain", "--json", "-j1").stdout)
    steps = finished(script)
    assert {step.split(":")[0] for step in steps} == {"env", "build", "test"}
    for outcome in steps.values():
        check_times(outcome)
        (trace,) = outcome["trace"]
        assert trace["cores"] == 1
        assert trace["worker"]
        # Nothing sends a file, and no step reserves memory.
        assert "sent_bytes" not in trace
    (build,) = steps["build:plain"]["trace"]
    assert build["cpu_ms"] > 0
    assert build["peak_bytes"] > 1_000_000
    assert [phase for phase in PHASES if f"{phase}_start_timestamp" in build] == list(PHASES)
    waits = {wait["for"]: wait.get("on") for wait in build["waits"]}
    assert waits["dependency"] in steps["build:plain"]["needs"]
    reported = {outcome["id"]: outcome for outcome in report["outcomes"]}
    assert all(reported[step] == outcome for step, outcome in steps.items())


def test_reused_results_name_their_origin_and_have_no_trace(project, tmp_path):
    script = project("script")
    arguments = ("build", "matrix.yaml", "cp*-plain", "--json")
    store = ("--store", f"dir:{tmp_path / 'store'}")
    first = json.loads(script.run(*arguments, *store).stdout)
    assert all("reused_from" not in outcome for outcome in first["outcomes"])
    again = json.loads(script.run(*arguments).stdout)
    assert {outcome["reused_from"] for outcome in again["outcomes"]} == {"journal"}
    script.start_afresh()
    stored = json.loads(script.run(*arguments, *store).stdout)
    (build,) = [outcome for outcome in stored["outcomes"] if outcome["id"] == "build:plain"]
    assert build["state"] == "reused"
    assert build["reused_from"] == store[1]
    assert "trace" not in build


def test_traces_are_in_no_key_and_old_journals_are_read(project):
    script = project("script")
    arguments = ("build", "matrix.yaml", "cp*-plain", "--json")
    script.run(*arguments)
    journal = script.state / "journal.jsonl"
    old = []
    for line in journal.read_text().splitlines():
        record = json.loads(line)
        for name in ("trace", "needs"):
            record.get("finished", {}).pop(name, None)
        old.append(json.dumps(record))
    journal.write_text("\n".join(old) + "\n")
    again = json.loads(script.run(*arguments).stdout)
    assert {outcome["state"] for outcome in again["outcomes"]} == {"reused"}
