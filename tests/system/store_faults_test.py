"""The contents of a store always match their names: killed writers, a full disk, two writers of one key, a cleaner during a
release."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest
from conftest import PYTHON, Project, digests
from jobs import Jobs
from stores import store

TEST = f"test:cp{PYTHON.replace('.', '')}-plain"
# Everything by which a writer of a place on disk changes something, and a cleaner. `utimensat` sets the time of the lock.
WRITING = ("openat", "write", "fchmod", "fsync", "linkat", "rename", "mkdir", "utimensat")
CLEANING = ("openat", "unlink", "utimensat")
# Everything by which a program could change a file system. `openat` makes files, and takes locks.
CHANGING = {
    "openat", "open", "openat2", "creat", "write", "writev", "pwrite64", "pwritev", "pwritev2", "ftruncate", "truncate",
    "fallocate", "fchmod", "fchmodat", "chmod", "fchown", "fchownat", "chown", "lchown", "fsync", "fdatasync", "sync",
    "sync_file_range", "syncfs", "link", "linkat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir",
    "mkdir", "mkdirat", "symlink", "symlinkat", "mknod", "mknodat", "utimensat", "utime", "utimes", "futimesat",
    "copy_file_range", "sendfile", "splice", "setxattr", "fsetxattr", "lsetxattr",
}  # fmt: skip


@pytest.fixture
def script(project):
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return script


def contents(place: pathlib.Path) -> dict[str, str]:
    """The files of a place with names of results and blobs, without leftovers of killed processes."""
    return {name: digest for name, digest in digests(place).items() if re.fullmatch("(ac|cas)/[0-9a-f]{64}", name)}


def check_whole(place: pathlib.Path) -> dict[str, str]:
    """The contents of a place, checked without pinwheel's code: each blob matches its name, and each
    result has its record and all its files."""
    found = contents(place) if place.is_dir() else {}
    for name, digest in found.items():
        kind, stem = name.split("/")
        if kind == "cas":
            assert digest == stem, name
            continue
        for file in json.loads((place / name).read_text())["outputFiles"]:
            needed = f"cas/{file['digest']['hash']}"
            assert needed in found, f"{name} needs {needed}"
            assert (place / needed).stat().st_size == int(file["digest"].get("sizeBytes", 0))
    return found


def changing_calls(project: Project, command: list[str], trace: pathlib.Path) -> dict[str, set[str]]:
    """The calls of a command that change something, each with the threads that make it."""
    traced = ["strace", "-f", "-qq", "-o", str(trace), *command]
    subprocess.run(traced, cwd=project.directory, env=project.environment, check=True, capture_output=True)
    calls: dict[str, set[str]] = {}
    for line in trace.read_text(errors="replace").splitlines():
        found = re.match(r"(\d+) +(\w+)\(", line)
        if found and found[2] in CHANGING:
            calls.setdefault(found[2], set()).add(found[1])
    return calls


def killed_runs(project: Project, command: list[str], call: str, fresh):
    """Runs a command again and again, each time killed at the next system call of that name, until it ends by itself;
    after each kill, control goes to the caller. `fresh` restores what the command changes."""
    for count in range(1, 1000):
        fresh()
        inject = f"inject={call}:signal=KILL:when={count}"
        ran = subprocess.run(
            ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject, *command],
            cwd=project.directory,
            env=project.environment,
            capture_output=True,
            text=True,
        )
        yield count
        if ran.returncode == 0:
            return
        assert ran.returncode in (-9, 137), f"{call} {count}: {ran.returncode} {ran.stderr}"
    raise AssertionError(f"{call}: the command never ended by itself")


class TestKilled:
    @pytest.fixture
    def made(self, script, tmp_path):
        """A place with results, whole."""
        script.run("test", "matrix.yaml", "--store", f"dir:{tmp_path / 'made'}")
        return tmp_path / "made"

    @pytest.fixture
    def clean(self, script, made, tmp_path):
        """The arguments that empty a copy of the place, and a function that makes the copy."""
        # Recently used entries stay, and file times are coarse.
        for path in made.rglob("*"):
            os.utime(path, (1, 1))

        def fresh():
            shutil.rmtree(tmp_path / "place", ignore_errors=True)
            shutil.copytree(made, tmp_path / "place")

        return ["gc", "--store", f"dir:{tmp_path / 'place'}", "--grace", "0s", "--size", "0", "--releases", "0"], fresh

    def test_nothing_changes_a_place_but_the_calls_at_which_it_is_killed(self, script, made, clean, tmp_path):
        place = tmp_path / "place"
        writer = script.command("store", "import", str(made), "--store", f"dir:{place}")
        written = changing_calls(script, writer, tmp_path / "writer")
        assert set(written) == set(WRITING)
        # strace counts the calls of each thread by themselves: only those of one are all met.
        assert len(set.union(*written.values())) == 1
        arguments, fresh = clean
        fresh()
        cleaned = changing_calls(script, script.command("store", *arguments), tmp_path / "cleaner")
        assert set(cleaned) - {"write"} == set(CLEANING)
        assert len(set.union(*cleaned.values())) == 1
        assert contents(place) == {}

    @pytest.mark.parametrize(
        ("kind", "call"), [*(("local", call) for call in WRITING), ("dir", "linkat"), ("dir", "rename")]
    )
    def test_a_writer_that_is_killed_leaves_nothing_that_is_not_what_its_name_says(
        self, script, made, tmp_path, kind, call
    ):
        script.environment |= {"PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
        name, place = ("local", tmp_path / "cache/store") if kind == "local" else (f"dir:{tmp_path}/to", tmp_path / "to")
        command = script.command("store", "import", str(made), "--store", name)
        kills = 0
        for count in killed_runs(script, command, call, lambda: shutil.rmtree(place, ignore_errors=True)):
            kills = count
            left = check_whole(place)
            assert left.items() <= contents(made).items(), f"{call} {count}"
            store(script, "verify", "--store", name)
            store(script, "import", str(made), "--store", name)
            assert check_whole(place) == contents(made), f"{call} {count}"
        # The last of them is the one that ended by itself.
        assert kills > 1, "the call was never made"

    @pytest.mark.parametrize("call", CLEANING)
    def test_a_cleaner_that_is_killed_leaves_no_result_without_its_files(self, script, made, clean, tmp_path, call):
        place = tmp_path / "place"
        arguments, fresh = clean
        left = []
        for _ in killed_runs(script, script.command("store", *arguments), call, fresh):
            left.append(check_whole(place))
            store(script, "verify", "--store", f"dir:{place}")
            store(script, *arguments)
            assert contents(place) == {}
        # It was killed before it removed anything, and when all was gone.
        assert left[0] == contents(made) and left[-1] == {} and len(left) > 1

    def test_a_run_after_a_killed_one_uses_what_is_whole_and_makes_the_rest(self, script, made, tmp_path):
        place = tmp_path / "place"
        wheels = script.wheels()
        command = script.command("store", "import", str(made), "--store", f"dir:{place}")
        states = set()
        for _ in killed_runs(script, command, "rename", lambda: shutil.rmtree(place, ignore_errors=True)):
            script.share_resolutions()
            script.start_afresh()
            outcomes = script.report("build", "matrix.yaml", "--store", f"dir:{place}")
            states.add(outcomes["build:plain"]["state"])
            assert script.wheels() == wheels
        assert states == {"done", "reused"}


def forget_index(project: Project) -> None:
    """Removes what was published: a link, which is switched, and what it leads to."""
    shutil.rmtree(project.index.resolve())
    project.index.unlink()


class TestFull:
    def test_a_full_disk_is_a_warning_and_what_is_there_is_whole(self, script, small_disk):
        place = small_disk / "store"
        script.run("build", "matrix.yaml", "--store", f"dir:{place}")
        before = check_whole(place)
        assert before != {}
        script.edit(lambda matrix: matrix["build"]["command"].extend(["--pad", "3000000"]))
        script.run("release", "matrix.yaml")
        published = digests(script.index)
        forget_index(script)
        script.share_resolutions()
        script.start_afresh()
        ran = script.run("release", "matrix.yaml", "--store", f"dir:{place}")
        assert f"the store `dir:{place}` could not be written to" in ran.stderr
        assert "no space left on device" in ran.stderr.lower()
        store(script, "verify", "--store", f"dir:{place}")
        assert before.items() <= check_whole(place).items()
        assert not [name for name in digests(place / "cas") if not re.fullmatch("[0-9a-f]{64}", name)]
        # Nothing was lost of the release itself.
        assert digests(script.index) == published != {}

    def test_a_limit_on_the_size_of_files_is_like_a_full_disk(self, script, tmp_path):
        place, other = tmp_path / "place", tmp_path / "other"
        script.edit(lambda matrix: matrix["build"]["command"].extend(["--pad", "3000000"]))
        script.run("build", "matrix.yaml", "--store", f"dir:{other}")
        command = script.command("store", "import", str(other), "--store", f"dir:{place}")
        # The signal that goes with the limit is left alone: a shell would not.
        limited = ["prlimit", "--fsize=1000000", "env", "--ignore-signal=XFSZ", *command]
        ran = subprocess.run(limited, cwd=script.directory, env=script.environment, capture_output=True, text=True)
        assert ran.returncode not in (0, -9) and "file too large" in ran.stderr.lower(), ran.stderr
        store(script, "verify", "--store", f"dir:{place}")
        check_whole(place)
        assert all(path.stat().st_size < 1000000 for path in (place / "cas").iterdir())
        store(script, "import", str(other), "--store", f"dir:{place}")
        assert check_whole(place) == contents(other)


def check_served(place: pathlib.Path) -> None:
    """At any moment, while others write, a reader that finds a result also finds its files, complete."""
    for result in (place / "ac").glob("*"):
        if not re.fullmatch("[0-9a-f]{64}", result.name):
            continue
        for file in json.loads(result.read_text())["outputFiles"]:
            name = file["digest"]["hash"]
            assert hashlib.sha256((place / "cas" / name).read_bytes()).hexdigest() == name


@pytest.mark.takes(20)
def test_of_two_that_write_one_key_at_once_one_is_served_whole(script, tmp_path):
    # Inputs outside the key make the bytes differ: the builds are not reproducible.
    words = tmp_path / "word.txt"
    words.write_text("0\n")
    more = ["--tag", "py3-none-linux_x86_64", "--file", str(words), "--pad", "2000000"]
    script.edit(lambda matrix: matrix["build"]["command"].extend(more))
    place = tmp_path / "place"
    jobs = Jobs(script, tmp_path / "jobs")
    runs = []
    for word in "123":
        words.write_text(word + "\n")
        job = jobs.job(f"maker-{word}")
        job.run("build", "--plan", "plan.json", "--store", f"dir:{job.directory / 'out'}")
        runs.append(job)
    bytes_of = [frozenset(job.wheels().values()) for job in runs]
    assert len(set(bytes_of)) == len(runs)
    # Free, and with all of them at the same place: each has found nothing there before any has written its result.
    for held in ([], [], ["rename"], ["linkat"]):
        delays = [option for call in held for option in ("-e", f"inject={call}:delay_enter=600000")]
        trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={held[0]}", *delays] if held else []
        shutil.rmtree(place, ignore_errors=True)
        writers = [
            subprocess.Popen(
                [*trace, *job.command("store", "import", str(job.directory / "out"), "--store", f"dir:{place}", "--json")],
                cwd=job.directory,
                env=job.environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for job in runs
        ]
        while any(writer.poll() is None for writer in writers):
            if place.is_dir():
                check_served(place)
        assert [writer.returncode for writer in writers] == [0] * len(runs)
        copied = [json.loads(writer.stdout.read())["copied"] for writer in writers]
        assert not held or min(copied) > 0, "they did not meet"
        store(script, "verify", "--store", f"dir:{place}")
        check_whole(place)
        reader = jobs.job("reader")
        report = reader.report("build", "--plan", "plan.json", "--store", f"dir:{place},ro", "--reuse-only")
        assert report["build:plain"]["state"] == "reused"
        assert frozenset(reader.wheels().values()) in bytes_of


def results_in(project: Project) -> int:
    return sum(json.loads(store(project, "stat", "--json").stdout)["results"].values())


@pytest.mark.stores
@pytest.mark.takes(40)
def test_a_cleaner_during_a_release_removes_nothing_that_the_release_needs(script, tmp_path):
    script.environment |= {"PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
    script.edit(lambda matrix: matrix["environment"]["variables"].update(SCRIPT_PAUSE="6"))
    script.run("release", "matrix.yaml")
    published = digests(script.index)
    script.share_resolutions()
    clean = ["gc", "--grace", "0s", "--size", "0", "--releases", "0"]
    place = tmp_path / "cache" / "store"
    # The first makes everything, and the second may take it, as far as the cleaner has left it.
    for again in (False, True):
        forget_index(script)
        script.start_afresh()
        release = subprocess.Popen(
            script.command("release", "matrix.yaml", "--store", "local"),
            cwd=script.directory,
            env=script.environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        kept = 0
        while release.poll() is None:
            # While a test runs, the build before it has its result in the store.
            store(script, *clean)
            if release.poll() is None:
                kept = max(kept, results_in(script))
            time.sleep(0.05)
        output = release.stderr.read()
        assert release.returncode == 0, output
        assert "could not be" not in output and "in no store" not in output
        assert kept >= 1 or again
        store(script, "verify")
        check_whole(place)
        assert digests(script.index) == published != {}
    # Nobody needs it now.
    store(script, *clean)
    assert results_in(script) == 0
