"""What lies in a store stays what its names say: killed writers, a full disk, two writers of one key, a cleaner beside a
release."""

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

TEST = f"test:cp{PYTHON.replace('.', '')}-plain"
# Everything by which a writer or a cleaner of a place on disk changes something.
CHANGING = (
    "openat",
    "write",
    "ftruncate",
    "fchmod",
    "fsync",
    "linkat",
    "link",
    "rename",
    "unlink",
    "mkdir",
    "utimensat",
)


@pytest.fixture
def script(project):
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    return script


def store(project: Project, *arguments: str, code: int = 0) -> subprocess.CompletedProcess:
    return project.run("store", *arguments, code=code)


def contents(place: pathlib.Path) -> dict[str, str]:
    """What a place has under the names of results and blobs; not what a killed process left beside them."""
    return {name: digest for name, digest in digests(place).items() if re.fullmatch("(ac|cas)/[0-9a-f]{64}", name)}


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

    @pytest.mark.takes(40)
    @pytest.mark.parametrize("call", CHANGING)
    def test_a_writer_that_is_killed_leaves_nothing_that_is_not_what_its_name_says(self, script, made, tmp_path, call):
        place = tmp_path / "place"
        command = script.command("store", "import", str(made), "--store", f"dir:{place}")
        kills = 0
        for count in killed_runs(script, command, call, lambda: shutil.rmtree(place, ignore_errors=True)):
            kills = count
            store(script, "verify", "--store", f"dir:{place}")
            store(script, "import", str(made), "--store", f"dir:{place}")
            assert contents(place) == contents(made), f"{call} {count}"
        # The last of them is the one that ended by itself.
        assert kills > 1 or call in ("ftruncate", "linkat", "link", "unlink", "utimensat"), "the call was never made"

    @pytest.mark.takes(20)
    @pytest.mark.parametrize("call", ["openat", "unlink", "unlinkat"])
    def test_a_cleaner_that_is_killed_leaves_no_result_without_its_files(self, script, made, tmp_path, call):
        place = tmp_path / "place"
        clean = ["gc", "--store", f"dir:{place}", "--grace", "0s", "--size", "0", "--releases", "0"]
        # What was used since a moment ago stays, and times of files are coarse.
        for path in made.rglob("*"):
            os.utime(path, (1, 1))

        def fresh():
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(made, place)

        for _ in killed_runs(script, script.command("store", *clean), call, fresh):
            store(script, "verify", "--store", f"dir:{place}")
            store(script, *clean)
            assert contents(place) == {}

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


class TestFull:
    def test_a_full_disk_is_a_warning_and_what_is_there_is_whole(self, script, small_disk):
        place = small_disk / "store"
        script.run("build", "matrix.yaml", "--store", f"dir:{place}")
        before = contents(place)
        script.edit(lambda matrix: matrix["build"]["command"].extend(["--pad", "3000000"]))
        ran = script.run("release", "matrix.yaml", "--store", f"dir:{place}")
        assert f"the store `dir:{place}` could not be written to" in ran.stderr
        assert "no space left on device" in ran.stderr.lower()
        store(script, "verify", "--store", f"dir:{place}")
        assert before.items() <= contents(place).items()
        assert not [name for name in digests(place / "cas") if not re.fullmatch("[0-9a-f]{64}", name)]
        # Nothing was lost of the release itself.
        assert digests(script.index) != {}

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
        assert all(path.stat().st_size < 1000000 for path in (place / "cas").iterdir())
        store(script, "import", str(other), "--store", f"dir:{place}")
        assert contents(place) == contents(other)


@pytest.mark.takes(20)
def test_of_two_that_write_one_key_at_once_one_is_served_whole(script, tmp_path):
    # What is no part of the key makes the bytes differ: the builds are not reproducible.
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
    for _ in range(5):
        shutil.rmtree(place, ignore_errors=True)
        writers = [
            subprocess.Popen(
                job.command("store", "import", str(job.directory / "out"), "--store", f"dir:{place}"),
                cwd=job.directory,
                env=job.environment,
                stdout=subprocess.DEVNULL,
            )
            for job in runs
        ]
        assert [writer.wait() for writer in writers] == [0] * len(runs)
        store(script, "verify", "--store", f"dir:{place}")
        reader = jobs.job("reader")
        report = reader.report("build", "--plan", "plan.json", "--store", f"dir:{place},ro", "--reuse-only")
        assert report["build:plain"]["state"] == "reused"
        assert frozenset(reader.wheels().values()) in bytes_of


def results_in(project: Project) -> int:
    return sum(json.loads(store(project, "stat", "--json").stdout)["results"].values())


@pytest.mark.takes(20)
def test_a_cleaner_beside_a_release_takes_nothing_that_the_release_needs(script, tmp_path):
    script.environment |= {"PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
    script.edit(lambda matrix: matrix["environment"]["variables"].update(SCRIPT_PAUSE="6"))
    clean = ["gc", "--grace", "0s", "--size", "0", "--releases", "0"]
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
    assert release.returncode == 0, release.stderr.read()
    assert "could not be" not in release.stderr.read()
    assert kept >= 1
    store(script, "verify")
    wheels = digests(script.index)
    assert wheels != {}
    # Nobody needs it now.
    store(script, *clean)
    assert results_in(script) == 0
