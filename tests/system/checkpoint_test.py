"""Builds that outlast their run continue from a checkpoint, and their wheels have the bytes of an uninterrupted build."""

import hashlib
import json
import pathlib
import random
import subprocess
import time

import pytest
from checkpoints import MESSAGE, Stopped, checkpoint, plain_ninja

SOURCES = 8
KILLS = 4


@pytest.fixture
def stopped(project, tmp_path):
    return plain_ninja(project, tmp_path / "commands", SOURCES)


def outcome(report: dict[str, dict]) -> dict:
    (build,) = [each for step, each in report.items() if step.startswith("build:")]
    return build


def is_empty(place: pathlib.Path) -> bool:
    """Whether a directory of checkpoints has none."""
    return not any((place / name).exists() for name in ("ac", "cas"))


@pytest.mark.takes(20)
def test_a_build_that_outlasts_its_run_is_unfinished_and_continues(stopped):
    whole = stopped.whole()
    build = stopped.stop()
    assert build["state"] == "unfinished" and build["error"]["kind"] == "unfinished"
    assert "checkpoint" in build["error"]["message"] and stopped.project.wheels() == {}
    assert 0 < len(stopped.commands()) <= 2
    assert outcome(stopped.build())["state"] == "done"
    assert MESSAGE in stopped.log()
    assert stopped.project.wheels() == whole
    # The command that ran when the build was stopped wrote no line.
    assert sorted(stopped.commands()) == [f"t{number}.txt" for number in range(SOURCES)]
    assert is_empty(stopped.project.state / "checkpoints")


@pytest.mark.takes(20)
def test_the_duration_of_a_build_is_the_sum_of_its_runs(stopped):
    stopped.stop()
    manifests = [blob.read_bytes() for blob in places(stopped)[1]]
    spent = max(json.loads(manifest)["spent-ms"] for manifest in manifests if b"pinwheel-checkpoint/2" in manifest)
    assert spent > 0
    continued = outcome(stopped.build())
    assert MESSAGE in stopped.log() and continued["elapsed_ms"] > spent


@pytest.mark.parts
@pytest.mark.takes(25)
def test_kills_at_random_moments_lose_no_more_than_one_checkpoint(stopped):
    whole = stopped.whole()
    seed = random.randrange(1 << 32)
    print("seed", seed)
    moments = random.Random(seed)
    for _ in range(KILLS):
        if stopped.kill_after(moments.uniform(1.5, 4)) is not None:
            stopped.project.start_afresh()
    stopped.build()
    assert stopped.project.wheels() == whole


@pytest.mark.parts
@pytest.mark.takes(25)
def test_a_killed_run_repeats_only_what_its_last_checkpoint_lacks(stopped):
    whole = stopped.whole()
    stopped.gate.unlink()
    stopped.kill_after_checkpoint(outputs=2)
    stopped.gate.touch()
    stopped.build()
    assert MESSAGE in stopped.log() and stopped.project.wheels() == whole
    assert sorted(stopped.commands()) == [f"t{number}.txt" for number in range(SOURCES)]


@pytest.mark.takes(20)
def test_a_changed_source_starts_from_the_beginning(stopped):
    stopped.whole()
    stopped.stop()
    done = len(stopped.commands())
    (stopped.project.directory / "t0.in").write_text("another text\n")
    stopped.project.commit()
    stopped.build()
    assert MESSAGE not in stopped.log()
    assert len(stopped.commands()) == done + SOURCES


def texts(blobs: pathlib.Path) -> list[pathlib.Path]:
    """The outputs of commands in a place."""
    return [blob for blob in blobs.iterdir() if blob.read_bytes().startswith(b"TEXT OF")]


def places(stopped) -> tuple:
    """The entries and the blobs of the checkpoints of this machine."""
    root = stopped.project.state / "checkpoints"
    return list((root / "ac").iterdir()), list((root / "cas").iterdir())


@pytest.mark.parts
@pytest.mark.takes(40)
@pytest.mark.parametrize("fault", ["blob", "missing", "manifest", "entry"])
def test_a_damaged_checkpoint_is_refused(stopped, fault):
    whole = stopped.whole()
    stopped.stop()
    entries, blobs = places(stopped)
    first = [blob for blob in blobs if blob.read_bytes().startswith(b"TEXT OF T0")]
    manifests = [blob for blob in blobs if b"pinwheel-checkpoint/2" in blob.read_bytes()]
    assert first and manifests and len(entries) == 1
    for path in {"blob": first, "missing": first, "manifest": manifests, "entry": entries}[fault]:
        path.chmod(0o644)
        if fault == "missing":
            path.unlink()
        else:
            # The size stays the same.
            path.write_bytes(path.read_bytes()[:-9] + b"damaged!\n")
    done = len(stopped.commands())
    stopped.build()
    assert "pinwheel: the build starts from the beginning: " in stopped.log()
    assert stopped.project.wheels() == whole and len(stopped.commands()) == done + SOURCES


@pytest.mark.takes(20)
def test_a_checkpoint_continues_on_another_machine(stopped, tmp_path):
    whole = stopped.whole()
    store = f"dir:{tmp_path / 'store'}"
    stopped.stop("--store", store)
    done = stopped.commands()
    stopped.project.start_afresh()
    stopped.build("--store", store)
    assert stopped.project.wheels() == whole
    assert sorted(stopped.commands()) == [f"t{number}.txt" for number in range(SOURCES)] and done
    assert texts(tmp_path / "store" / "cas")
    stopped.project.run("store", "gc", "--store", store, "--grace", "0s", "--size", "1 GB")
    assert texts(tmp_path / "store" / "cas") == []


@pytest.mark.parts
@pytest.mark.takes(20)
def test_a_checkpoint_is_refused_if_a_header_outside_the_source_differs(project, tmp_path):
    header = tmp_path / "outside.h"
    header.write_text("first\n")
    stopped = plain_ninja(project, tmp_path / "commands", SOURCES)
    listed = stopped.project.directory / "commands.ninja"
    # A list of inputs, as a compiler writes it.
    text = listed.read_text().replace("  command = ", f"  depfile = $out.d\n  deps = gcc\n  command = echo $out: {header} > $out.d; ")
    listed.write_text(text)
    stopped.project.commit()
    stopped.whole()
    stopped.stop()
    done = len(stopped.commands())
    header.write_text("other\n")
    stopped.build()
    assert f"`{header}` differs on this machine" in stopped.log()
    assert len(stopped.commands()) == done + SOURCES


@pytest.mark.takes(20)
def test_a_checkpoint_is_refused_if_a_library_outside_the_source_differs(project, tmp_path):
    library = tmp_path / "libfirst.a"
    unfinished = tmp_path / "liblater.a"
    stopped = plain_ninja(project, tmp_path / "commands", SOURCES)
    listed = stopped.project.directory / "commands.ninja"
    text = listed.read_text().replace("../t0.in", f"../t0.in | {library}")
    listed.write_text(text.replace("../t7.in", f"../t7.in | {unfinished}"))
    stopped.project.commit()
    library.write_text("first\n")
    unfinished.write_text("first\n")
    whole = stopped.whole()
    stopped.stop()
    done = len(stopped.commands())
    # No finished command has read this one.
    unfinished.write_text("other\n")
    library.write_text("other\n")
    stopped.build()
    assert f"is refused: `{library}` differs on this machine" in stopped.log()
    assert len(stopped.commands()) == done + SOURCES
    stopped.project.start_afresh()
    stopped.counter.unlink()
    stopped.stop()
    unfinished.write_text("another\n")
    stopped.build()
    assert MESSAGE in stopped.log() and stopped.project.wheels() == whole
    assert sorted(stopped.commands()) == [f"t{number}.txt" for number in range(SOURCES)]


@pytest.mark.takes(20)
def test_a_build_that_fails_after_it_continued_is_repeated_from_the_beginning(project, tmp_path):
    fault = tmp_path / "fault"
    check = f"if [ -e {fault} ]; then rm {fault}; exit 1; fi; "
    stopped = plain_ninja(project, tmp_path / "commands", SOURCES, before=check)
    whole = stopped.whole()
    stopped.stop()
    done = len(stopped.commands())
    fault.touch()
    assert outcome(stopped.build())["state"] == "done"
    assert MESSAGE in stopped.log() and "is repeated from the beginning" in stopped.log()
    assert stopped.project.wheels() == whole and len(stopped.commands()) == done + SOURCES
    # A build that fails anyway fails.
    stopped.project.start_afresh()
    fault.touch()
    assert outcome(stopped.build(code=1))["error"]["kind"] == "step"


@pytest.mark.parts
@pytest.mark.takes(20)
def test_another_compiler_starts_from_the_beginning(stopped, tmp_path):
    stopped.whole()
    stopped.stop()
    done = len(stopped.commands())
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "c++").write_text("#!/bin/sh\necho 99.1.0\n")
    (programs / "c++").chmod(0o755)
    path = f"{programs}:{stopped.project.environment['PATH']}"
    stopped.project.report("build", "matrix.yaml", PATH=path)
    assert MESSAGE not in stopped.log() and len(stopped.commands()) == done + SOURCES


@pytest.mark.parts
@pytest.mark.takes(20)
def test_a_full_place_of_checkpoints_fails_the_build_and_says_so(stopped, small_disk):
    stopped.whole()
    (small_disk / "ballast").write_bytes(b"x" * ((2 << 20) - 4096))
    stopped.gate.unlink()
    place = ["--checkpoints", str(small_disk / "checkpoints")]
    error = stopped.fail_for_time("no space left on device", *place)
    assert error["kind"] == "timeout" and "has no new checkpoint" in error["message"]
    # It is complete as soon as there is room.
    (small_disk / "ballast").unlink()
    stopped.stop(*place)
    stopped.build(*place)
    assert MESSAGE in stopped.log()
    assert is_empty(small_disk / "checkpoints")


@pytest.mark.parts
@pytest.mark.takes(25)
def test_a_run_that_is_killed_while_it_saves_loses_no_earlier_checkpoint(stopped, tmp_path):
    stopped.project.edit(lambda matrix: matrix["build"]["checkpoint"].update(every="2 s"))
    whole = stopped.whole()
    place = tmp_path / "checkpoints"
    stopped.stop("--checkpoints", str(place))
    done = len(stopped.commands())
    (entry,) = (place / "ac").iterdir()
    before = entry.read_bytes()
    # Another run is killed as soon as it has changed a file of the place.
    seen = {path.name for path in (place / "cas").iterdir()}
    run = subprocess.Popen(
        stopped.project.command("build", "matrix.yaml", "--checkpoints", str(place)),
        cwd=stopped.project.directory,
        env=stopped.project.environment,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 240
    while {path.name for path in (place / "cas").iterdir()} == seen:
        assert run.poll() is None and time.monotonic() < until
    run.kill()
    run.wait()
    assert entry.read_bytes()[:1] == before[:1] == b"{"
    stopped.build("--checkpoints", str(place))
    assert MESSAGE in stopped.log()
    assert stopped.project.wheels() == whole
    # What the first checkpoint has is not repeated.
    assert done == 2 and [stopped.commands().count(name) for name in ("t0.txt", "t1.txt")] == [1, 1]


@pytest.mark.parts
@pytest.mark.takes(30)
def test_two_runs_of_one_build_at_once_share_checkpoints(stopped, tmp_path):
    whole = stopped.whole()
    place = tmp_path / "checkpoints"
    stopped.stop("--checkpoints", str(place))
    stopped.gate.unlink()
    runs = []
    for number in range(2):
        command = [stopped.project.binary, "build", "matrix.yaml", "--checkpoints", str(place)]
        directories = ["--state-dir", str(tmp_path / f"state-{number}"), "--output-dir", str(tmp_path / f"dist-{number}")]
        runs.append(subprocess.Popen([*command, *directories], cwd=stopped.project.directory,
                                     env=stopped.project.environment, stderr=subprocess.DEVNULL))  # fmt: skip
    try:
        time.sleep(5)
    finally:
        stopped.gate.touch()
        codes = [run.wait(timeout=120) for run in runs]
    assert codes == [0, 0]
    for number in range(2):
        assert {path.name: digest for path in (tmp_path / f"dist-{number}").glob("*.whl")
                for digest in [hashlib.sha256(path.read_bytes()).hexdigest()]} == whole  # fmt: skip


def test_a_build_without_ninja_says_why_it_has_no_checkpoint(project, tmp_path):
    script = project("script")

    def change(matrix: dict) -> None:
        checkpoint(matrix)
        matrix["build"]["command"] += ["--pause", "600"]

    script.edit(change)
    error = Stopped(script, tmp_path / "unused").fail_for_time("there is no build directory of ninja")
    assert error["kind"] == "timeout" and "has no new checkpoint" in error["message"]


@pytest.mark.parts
@pytest.mark.takes(40)
def test_a_build_whose_commands_put_files_into_the_package_has_no_checkpoint(project, tmp_path):
    copy = "mkdir -p ../package && touch ../package/copy.txt && "
    stopped = plain_ninja(project, tmp_path / "commands", SOURCES, before=copy)
    stopped.gate.unlink()
    error = stopped.fail_for_time("made `src/package/copy.txt`, but ninja does not know the file")
    assert error["kind"] == "timeout" and "has no new checkpoint" in error["message"]


def test_a_time_limit_that_is_no_time_is_rejected(script):
    ran = script.run("build", "matrix.yaml", "--time-limit", "soon", code=2)
    assert "`--time-limit` cannot be `soon`" in ran.stderr
