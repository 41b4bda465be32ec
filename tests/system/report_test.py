"""`report`: the trace of a run, read by Perfetto's own trace processor."""

import json
from datetime import datetime, timedelta

import pytest
from trace_processor import TraceProcessor

SLICES = """
select slice.id, slice.name, ts, dur, depth, slice.parent_id, tid, pid, process.name as machine, thread.name as slot
from slice join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
order by ts, depth
"""
COUNTERS = """
select ts, value, track.name, pid from counter join process_counter_track as track on counter.track_id = track.id
join process using (upid) order by ts, counter.id
"""


def released(project):
    """A project whose wheels were built, tested and published into a directory."""
    script = project("script")
    script.run("release", "matrix.yaml")
    return script


def finished(project) -> dict[str, dict]:
    lines = (project.state / "journal.jsonl").read_text().splitlines()[1:]
    records = [json.loads(line) for line in lines]
    return {record["finished"]["id"]: record["finished"] for record in records if "finished" in record}


def moment(trace: dict, name: str) -> int:
    return round(datetime.fromisoformat(trace[f"{name}_timestamp"]).timestamp() * 1000) * 1_000_000


def check_nesting(slices: list[dict]) -> None:
    """Slices of one slot follow each other or contain each other, and no step contains another."""
    by_id = {one["id"]: one for one in slices}
    last: dict[tuple[int, int], int] = {}
    for one in slices:
        place = (one["pid"], one["tid"], one["depth"])
        assert one["ts"] >= last.get(place, 0), one
        last[place] = one["ts"] + one["dur"]
        if one["depth"] == 0:
            assert ":" in one["name"] or one["name"] == "sdist"
            continue
        assert one["name"] in ("input_fetch", "execution", "output_upload")
        parent = by_id[one["parent_id"]]
        assert parent["ts"] <= one["ts"] <= one["ts"] + one["dur"] <= parent["ts"] + parent["dur"]


def flows_of(processor: TraceProcessor) -> set[tuple[str, str]]:
    """The names of the steps at both ends of each flow."""
    rows = processor.query("""
        with step as (select descendant.id as inner_id, ancestor.name from slice as descendant join slice as ancestor
                      on ancestor.id = coalesce(descendant.parent_id, descendant.id))
        select source.name as source, target.name as target from flow
        join step as source on source.inner_id = slice_out join step as target on target.inner_id = slice_in""")
    return {(row["source"], row["target"]) for row in rows}


def test_perfetto_loads_the_trace_of_a_release_without_a_warning(project, tmp_path):
    script = released(project)
    steps = finished(script)
    assert {step.split(":")[0] for step in steps} >= {"env", "build", "test", "publish"}
    file = tmp_path / "trace.json"
    noted = script.run("report", "--trace", str(file))
    assert noted.stdout == ""
    assert str(file) in noted.stderr
    assert script.run("report", "--trace", "-").stdout == file.read_text()
    with TraceProcessor(file.read_bytes()) as processor:
        assert processor.warnings() == []
        slices = processor.query(SLICES)
        check_nesting(slices)
        # The durations and distances are those of the journal.
        begun = min(moment(outcome["trace"][0], "worker_start") for outcome in steps.values())
        shown = {one["name"]: one for one in slices if one["depth"] == 0}
        assert shown.keys() == steps.keys()
        for step, outcome in steps.items():
            (trace,) = outcome["trace"]
            start, end = moment(trace, "worker_start"), moment(trace, "worker_completed")
            assert shown[step]["ts"] == start - begun
            assert shown[step]["dur"] == max(end - start, 1000)
            assert shown[step]["machine"] == trace["worker"]
            assert shown[step]["slot"].startswith("slot ")
        wanted = {(need, step) for step, outcome in steps.items() for need in outcome.get("needs", [])}
        assert flows_of(processor) == wanted
        assert {(source.split(":")[0], target.split(":")[0]) for source, target in wanted} >= {
            ("env", "build"),
            ("build", "test"),
            ("test", "publish"),
        }
        counters = processor.query(COUNTERS)
        for name in ("steps running", "cores reserved"):
            values = [one["value"] for one in counters if one["name"] == name]
            assert max(values) >= 1
            assert min(values) == 0 == values[-1]
        threads = processor.query("select count(distinct utid) as n from thread where name is not null")[0]["n"]
        assert threads == len({(one["pid"], one["tid"]) for one in slices})
        starts = processor.query("select count(*) as n from slice where depth = 0")[0]["n"]
        assert starts == len(steps)


def shifted(report: dict, worker: str, offset: timedelta) -> dict:
    """The report of a machine of that name, whose clock is off."""
    copy = json.loads(json.dumps(report))
    for outcome in copy["outcomes"]:
        for trace in outcome.get("trace", []):
            trace["worker"] = worker
            for name in trace:
                if name.endswith("_timestamp"):
                    moved = datetime.fromisoformat(trace[name]) + offset
                    trace[name] = moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return copy


@pytest.mark.parametrize("late", [timedelta(), timedelta(minutes=-7), timedelta(minutes=7)])
def test_the_reports_of_several_jobs_are_merged_with_corrected_clocks(project, tmp_path, late):
    script = project("script")
    built = json.loads(script.run("build", "matrix.yaml", "cp*-plain", "--json").stdout)
    tested = json.loads(script.run("test", "matrix.yaml", "cp*-plain", "--json").stdout)
    files = []
    for name, report in (("built", shifted(built, "builder", timedelta())), ("tested", shifted(tested, "tester", late))):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps(report))
    trace = script.run("report", *map(str, files), "--trace", "-").stdout
    with TraceProcessor(trace.encode()) as processor:
        assert processor.warnings() == []
        slices = processor.query(SLICES)
        check_nesting(slices)
        machines = {one["name"].split(":")[0]: one["machine"] for one in slices if one["depth"] == 0}
        assert machines["build"] == "builder"
        assert machines["test"] == "tester"
        flows = {(source.split(":")[0], target.split(":")[0]) for source, target in flows_of(processor)}
        assert ("build", "test") in flows
        build, test = (
            next(one for one in slices if one["name"].startswith(kind)) for kind in ("build:plain", "test:")
        )
        assert build["ts"] + build["dur"] <= test["ts"]
    # The order of the files and a file named twice make no difference to what is in the trace.
    again = script.run("report", *map(str, [*files, files[0]]), "--trace", "-").stdout
    assert again == trace
    assert "different" not in script.run("report", *map(str, files), "--merge").stderr
    tested["run"]["plan"]["source-digest"] = "0" * 64
    other = tmp_path / "other.json"
    other.write_text(json.dumps(tested))
    assert "runs of different matrices or sources" in script.run("report", str(files[0]), str(other), "--merge").stderr
    offsets = {
        machine["name"]: machine["clock_offset_ms"]
        for machine in json.loads(script.run("report", *map(str, files), "--merge", "--json").stdout)["machines"]
    }
    assert offsets["builder"] == 0
    assert (offsets["tester"] > 0) == (late < timedelta())


def test_a_run_is_named_by_its_logs_and_the_last_one_is_the_default(project):
    script = project("script")
    script.run("build", "matrix.yaml", "cp*-plain")
    script.run("test", "matrix.yaml", "cp*-plain")
    (first, second) = sorted(path.name for path in (script.state / "logs").iterdir())
    shown = {}
    for arguments in ((), (first,), (second,), (first, second)):
        attempts = json.loads(script.run("report", *arguments, "--merge", "--json").stdout)["attempts"]
        shown[arguments] = {attempt["id"].split(":")[0] for attempt in attempts}
    assert "build" in shown[(first,)]
    assert "test" not in shown[(first,)]
    assert "build" not in shown[(second,)]
    assert shown[()] == shown[(second,)]
    assert shown[(first, second)] == shown[(first,)] | shown[(second,)]
    brief = script.run("report", first).stdout
    assert "critical path, " in brief
    assert "nothing to start" in brief or "other build commands" in brief
    table = script.run("report", first, "--all").stdout.splitlines()
    assert table[0].split() == ["step", "state", "start", "time", "cpu", "memory", "waited"]
    assert any(line.startswith("build:plain") and "done" in line for line in table)
    journal = script.state / "journal.jsonl"
    assert script.run("report", str(journal)).stdout == script.run("report").stdout
    refused = script.run("report", first[:-1], code=2)
    assert first in refused.stderr


def test_what_cannot_be_reported_is_an_error(project, tmp_path):
    script = project("script")
    assert "no run in" in script.run("report", code=2).stderr
    script.run("report", "--trace", "-", "--json", code=2)
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    assert "contains no report" in script.run("report", str(broken), code=2).stderr
    journal = tmp_path / "journal.jsonl"
    journal.write_text('{"journal":2}\n')
    assert "version 2" in script.run("report", str(journal), code=2).stderr
    journal.write_text('{"journal":1}\nnot a record\n')
    assert "line 2 of the journal is damaged" in script.run("report", str(journal), code=2).stderr
    journal.write_text('{"journal":1}\n')
    empty = script.run("report", str(journal), "--trace", "-")
    assert json.loads(empty.stdout)["traceEvents"] == []
    assert "no step was executed" in empty.stderr
    with TraceProcessor(empty.stdout.encode()) as processor:
        assert processor.warnings() == []
    refused = script.run("report", str(journal), "--trace", str(tmp_path), code=4)
    assert "cannot be written" in refused.stderr
