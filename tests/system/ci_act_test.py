"""The generated workflows, run by act: pull requests, releases, nights, forks and reruns."""

import json
import pathlib
import re
import shutil
import subprocess
import zipfile

import pytest
import yaml
from act_workflows import SECRET
from conftest import digests
from indexes import pip_installs

ALL = ["result-build-loud-1", "result-build-plain-1", "result-test-cp311-loud-1", "result-test-cp311-plain-1"]


def test_a_pull_request_builds_tests_passes_the_gate_and_publishes_nothing(workflows):
    ran = workflows.run("ci", "pull_request")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert workflows.results() == ALL
    assert not list(workflows.artifacts.glob("index-*"))


def test_a_release_is_published_by_jobs_that_share_nothing_but_artifacts(workflows, tmp_path):
    ran = workflows.run("release", "push")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (index,) = workflows.artifacts.glob("index-*")
    names = sorted(path.name for path in index.rglob("*.whl"))
    assert [name.split("-")[1] for name in names] == ["1.2.0+loud", "1.2.0+plain"]
    pip_installs(next(index.rglob("script-only")).parent.as_uri(), tmp_path / "installed", "script-only")


def test_a_failed_build_is_named_by_the_gate_and_nothing_is_published(script, workflows):
    maker = script.directory / "make_wheel.py"
    maker.write_text("import os, sys\nif os.environ['SCRIPT_FLAVOR'] == 'loud':\n    sys.exit('it broke')\n"
                     + maker.read_text())
    script.commit()
    ran = workflows.run("release", "push")
    assert ran.returncode != 0
    assert "result-build-plain-1" in workflows.results()
    assert "result-build-loud-1" not in workflows.results()
    assert not list(workflows.artifacts.glob("index-*"))
    gate = [line for line in ran.stdout.splitlines() if line.startswith("[pinwheel-release/pinwheel")]
    assert any("build:loud" in line for line in gate), ran.stdout


def test_a_lost_artifact_is_named_by_the_gate_and_nothing_is_published(workflows):
    ran = workflows.run("release", "push", "--env", "LOST=result-test-cp311-plain-1")
    assert ran.returncode != 0
    assert workflows.results() == [name for name in ALL if name != "result-test-cp311-plain-1"]
    assert not list(workflows.artifacts.glob("index-*"))
    gate = [line for line in ran.stdout.splitlines() if line.startswith("[pinwheel-release/pinwheel")]
    assert any("test:cp311-plain" in line for line in gate), ran.stdout


@pytest.mark.workflows
def test_a_night_like_the_last_one_builds_nothing(script, workflows):
    workflows.generate(lambda matrix: matrix["channels"].update(
        nightly={"version": "nightly", "publish": ["index"]}))
    first = workflows.run("nightly", "schedule")
    assert first.returncode == 0, first.stdout + first.stderr
    (index,) = workflows.indexes()
    assert len(list(index.rglob("script_only-*.dev20*.whl"))) == 2
    (workflows.artifacts / "plan").rename(workflows.artifacts.parent / "first")
    for artifact in (index, *workflows.artifacts.glob("result-*")):
        shutil.rmtree(artifact)
    second = workflows.run("nightly", "schedule")
    assert second.returncode == 0, second.stdout + second.stderr
    assert "neither the commit nor a package has changed" in second.stdout
    assert workflows.results() == [] and workflows.indexes() == []
    by_hand = workflows.run("nightly", "workflow_dispatch", "--job", "build")
    assert by_hand.returncode == 0, by_hand.stdout + by_hand.stderr
    assert len(workflows.results()) == 2
    for artifact in workflows.artifacts.glob("result-*"):
        shutil.rmtree(artifact)
    (script.directory / "notes.txt").write_text("new")
    script.commit()
    third = workflows.run("nightly", "schedule", "--job", "build")
    assert third.returncode == 0, third.stdout + third.stderr
    assert len(workflows.results()) == 2


def test_a_test_that_shows_too_little_fails_by_itself_and_one_without_a_runner_is_named(workflows):
    if shutil.which("nvidia-smi"):
        pytest.skip("there is a GPU")

    def need_a_gpu(matrix):
        matrix["test"]["hardware"] = "gpu"
        matrix["ci"] = {"driver": 'echo "installed" >> "$ARTIFACTS/driver"'}
        matrix["attributes"] = ["runner"]
        matrix["include"] = [{"flavor": "plain", "runner": "gpu-machine"}]

    workflows.generate(need_a_gpu)
    ran = workflows.run("release", "push")
    assert ran.returncode != 0
    assert workflows.results() == ["result-build-loud-1", "result-build-plain-1"]
    lines = ran.stdout.splitlines()
    job = [line for line in lines if line.startswith("[pinwheel-release/test cp311-plain")]
    assert any("has evidence `loaded`, `ran` is required" in line for line in job), ran.stdout
    assert any("exit status 5" in line for line in job), ran.stdout
    assert (workflows.artifacts / "driver").read_text() == "installed\n"
    assert not any("[pinwheel-release/test cp311-loud" in line for line in lines)
    gate = "\n".join(line for line in lines if line.startswith("[pinwheel-release/pinwheel"))
    assert "test:cp311-loud" in gate and "`ci.runners.test` names no runner for it" in gate
    assert workflows.indexes() == []


@pytest.mark.workflows
def test_the_failed_job_alone_is_run_again_and_nothing_that_is_done(script, workflows):
    fixed = workflows.place / "mended"
    maker = script.directory / "make_wheel.py"
    maker.write_text("import os, sys\n"
                     f"if os.environ['SCRIPT_FLAVOR'] == 'loud' and not os.path.exists({str(fixed)!r}):\n"
                     "    sys.exit('it broke')\n" + maker.read_text())
    script.commit()
    first = workflows.run("release", "push")
    assert first.returncode != 0 and "froze " in first.stdout
    assert workflows.results() == ["result-build-plain-1", "result-test-cp311-plain-1"]
    plan = (workflows.artifacts / "plan" / "plan.json").read_bytes()
    fixed.touch()
    loud = [row for row in workflows.rows("build") if row["step"] == "build:loud"]
    # GitHub runs the jobs that need a failed one again, whether or not they had succeeded.
    second = workflows.rerun("release", 2, {"builds-1": loud, "tests-1": workflows.rows("test")})
    assert second.returncode == 0, second.stdout + second.stderr
    assert workflows.results() == ["result-build-loud-2", "result-build-plain-1", "result-test-cp311-loud-2",
                                   "result-test-cp311-plain-1"]
    (index,) = workflows.indexes()
    assert len(list(index.rglob("*.whl"))) == 2
    # Everything once more: the plan is that of the first attempt, and no step has anything to do.
    third = workflows.run("release", "push", "--env", "GITHUB_RUN_ATTEMPT=3")
    assert third.returncode == 0, third.stdout + third.stderr
    assert "froze " not in third.stdout
    assert (workflows.artifacts / "plan" / "plan.json").read_bytes() == plan
    assert len(workflows.results()) == 4


def flavors_of(index: pathlib.Path) -> dict[str, str]:
    """The attempt that made each published wheel, according to its module."""
    found = {path.name.split("-")[1].partition("+")[2]: zipfile.ZipFile(path) for path in index.rglob("*.whl")}
    return {flavor: wheel.read("script_only.py").decode().rpartition("# ")[2].strip() for flavor, wheel in found.items()}


@pytest.mark.workflows
def test_of_several_attempts_the_latest_complete_result_is_published(script, workflows):
    content = workflows.place / "content"
    maker = script.directory / "make_wheel.py"
    module = 'f"FLAVOR = {os.environ.get(\'SCRIPT_FLAVOR\', \'none\')!r}\\n".encode()'
    replacement = module.replace("\\n", f"  # {{pathlib.Path({str(content)!r}).read_text()}}\\n")
    maker.write_text(maker.read_text().replace(module, replacement))
    script.commit()
    content.write_text("one")
    first = workflows.run("release", "push")
    assert first.returncode == 0, first.stdout + first.stderr
    for name in ALL:
        (workflows.artifacts / name).rename(workflows.place / name)
    shutil.rmtree(workflows.indexes()[0])
    content.write_text("two")
    second = workflows.run("release", "push", "--env", "GITHUB_RUN_ATTEMPT=2")
    assert second.returncode == 0, second.stdout + second.stderr
    assert flavors_of(workflows.indexes()[0]) == {"plain": "two", "loud": "two"}
    shutil.rmtree(workflows.indexes()[0])
    for name in ALL:
        (workflows.place / name).rename(workflows.artifacts / name)
    # Both attempts left complete results of every step, with other bytes; nothing is done again.
    third = workflows.run("release", "push", "--env", "GITHUB_RUN_ATTEMPT=3")
    assert third.returncode == 0, third.stdout + third.stderr
    assert flavors_of(workflows.indexes()[0]) == {"plain": "two", "loud": "two"}
    assert not [name for name in workflows.results() if name.endswith("-3")]
    shutil.rmtree(workflows.indexes()[0])
    # The second attempt's results of one variant lost their records on the way.
    for name in ("result-build-plain-2", "result-test-cp311-plain-2"):
        shutil.rmtree(workflows.artifacts / name / "cas")
    fourth = workflows.run("release", "push", "--env", "GITHUB_RUN_ATTEMPT=4")
    assert fourth.returncode == 0, fourth.stdout + fourth.stderr
    assert flavors_of(workflows.indexes()[0]) == {"plain": "one", "loud": "two"}
    assert not [name for name in workflows.results() if name.endswith("-4")]


def pull_request_of_a_fork(place: pathlib.Path) -> list[str]:
    event = place / "event.json"
    event.write_text(json.dumps({"pull_request": {"head": {"repo": {"fork": True}}}}))
    return ["--eventpath", str(event)]


def jobs_of(ran: subprocess.CompletedProcess) -> set[str]:
    """The names of the jobs that ran, each behind that of its workflow."""
    found = re.findall(r"^\[(pinwheel-[^\]]+)\]", ran.stdout, flags=re.MULTILINE)
    return {re.sub(r"-\d+$", "", name.rstrip()) for name in found}


LOUD = {"overrides": [{"when": {"flavor": "loud"}, "environment": {"secrets": ["LICENSE_TOKEN"]}}]}
JOBS = {"plan", "build loud", "build plain", "test cp311-loud", "test cp311-plain", "pinwheel", "compare with the base"}


def test_a_fork_gets_no_secret_and_the_steps_that_need_one_say_so(workflows):
    workflows.generate(lambda matrix: matrix.update(LOUD))
    # All workflows of the repository are there, and the event starts one.
    ran = workflows.run("ci", "pull_request", *pull_request_of_a_fork(workflows.place),
                        "-s", f"LICENSE_TOKEN={SECRET}", "-W", ".github/workflows")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert jobs_of(ran) == {f"pinwheel-ci/{job}" for job in JOBS}
    assert workflows.invocations() == [] and workflows.indexes() == []
    output = [line for line in ran.stdout.splitlines() if re.match(r"\[.*a pull request from a fork gets no secrets", line)]
    assert {re.match(r"\[pinwheel-ci/(\w+ [\w-]+?)(?:-\d+)?\s*\]", line)[1] for line in output} == {
        "build loud", "test cp311-loud"}, output
    assert workflows.results() == ["result-build-plain-1", "result-test-cp311-plain-1"]


def test_a_secret_reaches_the_steps_that_name_it_and_no_other(workflows):
    workflows.generate(lambda matrix: matrix.update(LOUD))
    own = workflows.run("release", "push", "-s", f"LICENSE_TOKEN={SECRET}")
    assert own.returncode == 0, own.stdout + own.stderr
    # Such a step asks the program for its version first.
    assert workflows.invocations() == ["--version", "--version", "build build:loud", "test test:cp311-loud"]
    assert workflows.results() == ALL and len(workflows.indexes()) == 1
    assert not [path for path in workflows.artifacts.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


@pytest.mark.workflows
def test_a_pull_request_is_compared_with_the_last_run_of_its_base(script, workflows):
    alone = workflows.run("ci", "pull_request")
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert "no run of the base branch is known" in alone.stdout
    for artifact in workflows.artifacts.glob("*"):
        shutil.rmtree(artifact)
    branch = workflows.run("ci", "push")
    assert branch.returncode == 0, branch.stdout + branch.stderr
    number = (workflows.place / "caches" / "base-run" / "number.txt").read_text().strip()
    assert number.isdigit()
    # As if there had been two runs before, with other keys.
    durations = workflows.place / "caches" / "base-run" / "durations.json"
    history = json.loads(durations.read_text())
    (first,) = history["steps"]["build:plain"]
    history["steps"]["build:plain"] += [{"key": key, "ms": first["ms"]} for key in ("one", "two")]
    durations.write_text(json.dumps(history))
    base = workflows.artifacts.with_name(f"run-{number}")
    base.mkdir()
    for artifact in workflows.artifacts.glob("*/"):
        artifact.rename(base / artifact.name)
    maker = script.directory / "make_wheel.py"
    maker.write_text(maker.read_text() + "print('of a pull request')\n")
    script.commit()
    compared = workflows.run("ci", "pull_request")
    assert compared.returncode == 0, compared.stdout + compared.stderr
    assert f"run {number} of the base -> " in compared.stdout and "4 steps in both" in compared.stdout
    assert "and for 1 step with earlier runs only if it is also unusual in them" in compared.stdout
    # Results that have expired are no failure.
    shutil.rmtree(base)
    for artifact in workflows.artifacts.glob("*/"):
        shutil.rmtree(artifact)
    expired = workflows.run("ci", "pull_request")
    assert expired.returncode == 0, expired.stdout + expired.stderr
    assert "has no artifacts" in expired.stdout


@pytest.mark.workflows
def test_a_fork_reads_the_store_and_writes_nothing_into_it(script, workflows):
    store = workflows.place / "store"
    workflows.generate(lambda matrix: matrix.update(ci={"store": f"dir:{store}"}))
    branch = workflows.run("ci", "push")
    assert branch.returncode == 0, branch.stdout + branch.stderr
    kept = digests(store)
    assert kept
    for artifact in workflows.artifacts.glob("*/"):
        shutil.rmtree(artifact)
    fork = pull_request_of_a_fork(workflows.place)
    read = workflows.run("ci", "pull_request", *fork)
    assert read.returncode == 0, read.stdout + read.stderr
    assert "found 1 result in the store" in read.stdout
    maker = script.directory / "make_wheel.py"
    maker.write_text(maker.read_text() + "print('of a fork')\n")
    script.commit()
    for artifact in workflows.artifacts.glob("*/"):
        shutil.rmtree(artifact)
    written = workflows.run("ci", "pull_request", *fork)
    assert written.returncode == 0, written.stdout + written.stderr
    assert workflows.results() == ALL and workflows.indexes() == []
    assert digests(store) == kept
    assert "publish" not in yaml.safe_load((script.directory / ".github/workflows/pinwheel-ci.yml").read_text())["jobs"]


def test_a_pull_request_that_changes_no_path_of_the_matrix_is_over_after_its_plan(script, workflows):
    workflows.generate(lambda matrix: matrix.update(ci={"on": {"paths": ["make_wheel.py", "tests/**"]}}))
    base = script.git("rev-parse", "HEAD").strip()
    event = workflows.place / "event.json"
    event.write_text(json.dumps({"pull_request": {"base": {"sha": base}}}))
    (script.directory / "notes.txt").write_text("new")
    script.commit()
    ran = workflows.run("ci", "pull_request", "--eventpath", str(event))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "the pull request changes no file of ci.on.paths" in ran.stdout
    assert list(workflows.artifacts.iterdir()) == []
    maker = script.directory / "make_wheel.py"
    maker.write_text(maker.read_text() + "print('changed')\n")
    script.commit()
    ran = workflows.run("ci", "pull_request", "--eventpath", str(event))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert workflows.results() == ALL


@pytest.mark.workflows
def test_a_pull_request_runs_the_variants_whose_keys_differ_from_its_base(script, workflows, tmp_path):
    matrix = script.directory / "matrix.yaml"
    settings = yaml.safe_load(matrix.read_text()) | {"ci": {"on": "keys", "store": f"dir:{tmp_path / 'store'}"}}
    # A matrix in the source of every build changes them all.
    settings["package"]["ignore"] = ["matrix.yaml"]
    matrix.write_text(yaml.safe_dump(settings, sort_keys=False))
    workflows.generate()
    event = workflows.place / "event.json"

    def pull_request(base: str) -> subprocess.CompletedProcess:
        event.write_text(json.dumps({"pull_request": {"base": {"sha": base}}}))
        ran = workflows.run("ci", "pull_request", "--eventpath", str(event))
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran

    def clear() -> None:
        shutil.rmtree(workflows.artifacts)
        workflows.artifacts.mkdir()

    base = script.git("rev-parse", "HEAD").strip()
    # The base has no results yet, so everything runs.
    first = pull_request(base)
    assert "has a result in the state directory or a store" in first.stdout
    assert workflows.results() == ALL
    clear()
    pushed = workflows.run("ci", "push")
    assert pushed.returncode == 0, pushed.stdout + pushed.stderr
    clear()

    def commit() -> None:
        script.git("add", "-A")
        script.git("commit", "-q", "-m", "change")

    (script.directory / "README.md").write_text("new\n")
    commit()
    idle = pull_request(base)
    assert "no key differs from those of the results of the base" in idle.stdout
    assert "nothing changed since" in idle.stdout + idle.stderr
    assert list(workflows.artifacts.iterdir()) == []
    settings["overrides"] = [{"when": {"flavor": "loud"}, "environment": {"variables": {"EXTRA": "1"}}}]
    matrix.write_text(yaml.safe_dump(settings, sort_keys=False))
    commit()
    one = pull_request(base)
    assert workflows.results() == [name for name in ALL if "loud" in name]
    assert "variables.EXTRA is new" in one.stdout + one.stderr
