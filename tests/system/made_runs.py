"""Reports of runs that never took place, with times, states, evidence and errors, as `pinwheel report` reads them."""

import hashlib
import itertools
import json
from datetime import UTC, datetime, timedelta

BEGUN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOSTILE = "</script><script>alert(1)</script>\"'<img src=x onerror=alert(2)><!--\u202e\u2066\u2028&amp;`${alert(3)}"


def at(seconds: float) -> str:
    return (BEGUN + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def outcome(step: str, state: str, begin: float, end: float, needs: tuple[str, ...] = (), **more) -> dict:
    made = {
        "id": step, "key": hashlib.sha256(step.encode()).hexdigest(), "state": state,
        "attempts": 1, "elapsed_ms": round(1000 * (end - begin)), "needs": list(needs), **more,
    }
    span = {"worker": "runner", "queued_timestamp": at(0), "cores": 2, "cpu_ms": 100, "peak_bytes": 10**8}
    span |= {"worker_start_timestamp": at(begin), "worker_completed_timestamp": at(end)}
    span |= {"execution_start_timestamp": at(begin), "execution_completed_timestamp": at(end)}
    return made | {"trace": [span]}


def error(message: str) -> dict:
    return {"kind": "step", "message": message, "hint": HOSTILE}


def run_of(counts: tuple[int, ...], text: str = "") -> list[dict]:
    """The outcomes of a run with so many values of each axis; every tenth test fails."""
    axes = list(zip(("python", "torch", "compute", "arch"), ([f"{text}{axis}.{at}" for at in range(count)] for axis, count in enumerate(counts))))
    steps = [outcome("env:0", "done", 0, 2)]
    builds: set[str] = set()
    for number, values in enumerate(itertools.product(*(values for _, values in axes))):
        build = "build:" + "-".join(values[1:])
        if build not in builds:
            builds.add(build)
            wheel = {"path": f"demo{text}-{len(builds)}.whl", "sha256": "0" * 64, "size": 1000 + len(builds)}
            steps.append(outcome(build, "done", 2, 5 + len(builds) % 7, ("env:0",), outputs=[wheel]))
        begin = 12 + number * 0.5
        more = {"axes": [list(pair) for pair in zip((name for name, _ in axes), values)]}
        if number % 10 == 3:
            more |= {"error": error(f"`pytest` ended with exit code 1 {text}"), "reason": text, "warnings": [text]}
        else:
            more |= {"evidence": "ran"}
        steps.append(outcome("test:" + "-".join(values), "failed" if number % 10 == 3 else "done", begin, begin + 0.4, (build,), **more))
    return steps


def report_of(outcomes: list[dict]) -> str:
    """The file of a report with these outcomes."""
    return json.dumps({"schema": "pinwheel-report/2", "exit": 1, "signal": 0, "elapsed_ms": 1000, "outcomes": outcomes})
