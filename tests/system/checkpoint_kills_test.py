"""Builds of the bundled kernels and of a torch extension are killed at twenty moments: the wheel is the same, and at most
the work since the last checkpoint is repeated."""

import random
import re

import pytest
from checkpoint_backends_test import torch_extension
from checkpoints import MESSAGE, Stopped
from kernels_checkout import kernels_checkout

pytestmark = pytest.mark.torch

KILLS = 20
JOBS = 2
COMMAND = re.compile(r"\[\d+/\d+\] .*?(\S+\.o)\b")
CHANGES = {
    "--no-isolation, --outdir": "--no-isolation, -Cbuild-dir=made, --outdir",
    "  timeout: 30 min": "  timeout: 2 h\n  checkpoint: {every: 5 s, before: 5 s}",
    "path: ../dist/index": "path: ../index",
}


def repeated(stopped: Stopped) -> list[str]:
    """The objects that a run compiled although a checkpoint before it had them."""
    saved: set[str] = set()
    again = []
    logs = sorted(stopped.project.state.glob("logs/*/build-*.log"), key=lambda path: path.stat().st_mtime_ns)
    for log in logs:
        ended: list[str] = []
        before = set(saved)
        for line in log.read_text(errors="replace").splitlines():
            if line.startswith("pinwheel: saved checkpoint"):
                # Ninja prints a command just before it records it.
                saved |= set(ended[:-JOBS])
            elif found := COMMAND.match(line):
                ended.append(found[1])
                again += [found[1]] if found[1] in before else []
    return again


def kill_until_finished(stopped: Stopped) -> None:
    """Each moment is within the time that the whole build needs on this machine."""
    whole = stopped.whole()
    moments = random.Random(seed := random.randrange(1 << 32))
    print("seed", seed, "build", stopped.seconds, "s")
    kills = continued = 0
    while kills < KILLS:
        code = stopped.kill_after(stopped.seconds * moments.uniform(0.1, 1), "-j", str(JOBS))
        continued += MESSAGE in stopped.log()
        assert repeated(stopped) == []
        if code is None:
            kills += 1
            print("kill", kills, "after", continued, "continued", flush=True)
            continue
        assert code == 0, stopped.log()
        assert stopped.project.wheels() == whole
        stopped.project.start_afresh()
    stopped.build("-j", str(JOBS))
    assert stopped.project.wheels() == whole
    assert continued > 0


@pytest.mark.takes(1500)
def test_twenty_kills_of_a_build_of_the_kernels(pinwheel, shared, root, tmp_path):
    text = (root / "matrix" / "quickstart.yaml").read_text()
    for old, new in CHANGES.items():
        assert old in text
        text = text.replace(old, new)
    project = kernels_checkout(pinwheel, shared, root, tmp_path, text)
    stopped = Stopped(project, tmp_path / "unused", "matrix/matrix.yaml")
    kill_until_finished(stopped)


@pytest.mark.takes(1500)
def test_twenty_kills_of_a_build_of_a_torch_extension(project):
    kill_until_finished(torch_extension(project))
