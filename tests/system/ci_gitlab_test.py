"""Pipelines of GitLab, run by gitlab-ci-local and gitlabci-local, and manifests for Kubernetes, checked by
kubernetes-validate: no cluster is here that could run them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from gitlab import GCIL, Pipelines
from indexes import pip_installs

ALL = ["result-build-loud", "result-build-plain", "result-test-cp311-loud", "result-test-cp311-plain"]
VALIDATE = Path(sys.executable).with_name("kubernetes-validate")


@pytest.fixture
def pipelines(script, tmp_path):
    return Pipelines(script, tmp_path / "gitlab")


def jobs_of(path: Path) -> dict[str, dict]:
    document = yaml.safe_load(path.read_text())
    return {name: job for name, job in document.items() if isinstance(job, dict) and not name.startswith(".")}


def test_a_merge_request_builds_tests_passes_the_gate_and_publishes_nothing(pipelines):
    ran = pipelines.run("ci")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert pipelines.results() == ALL
    assert "PASS  pinwheel-ci gate" in ran.stdout and "pinwheel-ci publish" not in ran.stdout


@pytest.mark.workflows
def test_a_release_is_published_by_jobs_that_share_nothing_but_artifacts(pipelines, tmp_path):
    ran = pipelines.run("release")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (index,) = pipelines.indexes()
    pip_installs(index.as_uri(), tmp_path / "installed", "script-only")


@pytest.mark.workflows
def test_a_failed_build_is_named_by_the_gate_and_nothing_is_published(script, pipelines):
    maker = script.directory / "make_wheel.py"
    maker.write_text("import os, sys\nif os.environ['SCRIPT_FLAVOR'] == 'loud':\n    sys.exit('it broke')\n"
                     + maker.read_text())
    script.commit()
    ran = pipelines.run("release")
    assert ran.returncode != 0
    # The tests of the other build run: they wait for their own builds only.
    assert pipelines.results() == ["result-build-plain", "result-test-cp311-plain"]
    # gitlab-ci-local starts no job after one that was skipped, whatever its rules are.
    assert "pinwheel-release gate" not in ran.stdout
    gate = pipelines.run("release", "pinwheel-release gate")
    assert gate.returncode != 0 and "build:loud" in gate.stdout + gate.stderr
    assert pipelines.indexes() == []


def test_a_job_reads_no_committed_results(script, pipelines):
    forged = script.directory / ".pinwheel-run" / "in" / "result-build-loud-1" / "entry"
    forged.parent.mkdir(parents=True)
    forged.write_text("forged")
    script.git("add", "--force", str(forged))
    script.commit()
    ran = pipelines.run("ci")
    assert ran.returncode != 0 and pipelines.results() == []


def test_each_event_starts_the_jobs_of_one_workflow(pipelines):
    pipelines.generate(lambda matrix: matrix["channels"].update(nightly={"version": "nightly", "publish": ["index"]}))
    for name in ("ci", "nightly", "release"):
        listed = json.loads(pipelines.run(name, "--list-json").stdout.partition("\n")[2])
        active = {job["name"].split()[0] for job in listed if job["when"] != "never"}
        assert active == {f"pinwheel-{name}"}, listed


@pytest.mark.workflows
def test_a_large_pipeline_has_children(script, pipelines, tmp_path):
    store = tmp_path / "store"
    pipelines.generate(lambda matrix: matrix.update(ci={"store": f"dir:{store}"}))
    main = script.directory / ".gitlab" / "pinwheel-ci.yml"
    whole = yaml.safe_load(main.read_text())
    pipelines.generate(lambda matrix: matrix["axes"].update(copy=[str(n) for n in range(120)]))
    parent = yaml.safe_load(main.read_text())
    children = sorted(script.directory.glob(".gitlab/pinwheel-ci-*.yml"))
    assert [path.name for path in children] == [
        "pinwheel-ci-build-1.yml", "pinwheel-ci-build-2.yml", "pinwheel-ci-test-1.yml", "pinwheel-ci-test-2.yml"]
    for path in children:
        jobs = jobs_of(path)
        assert 1 <= len(jobs) <= 200
        (need,) = {json.dumps(job["needs"]) for job in jobs.values()}
        assert json.loads(need) == [{"pipeline": "$PARENT_PIPELINE_ID", "job": "pinwheel-ci plan"}]
    triggers = {name: job["trigger"] for name, job in parent.items() if isinstance(job, dict) and "trigger" in job}
    assert [job["include"] for job in triggers.values()] == [[{"local": f".gitlab/{path.name}"}] for path in children]
    assert {job["strategy"] for job in triggers.values()} == {"depend"}
    assert whole["pinwheel-ci gate"]["script"] == parent["pinwheel-ci gate"]["script"]
    # Fewer rows again: one pipeline, and the files of the children are removed.
    pipelines.generate(lambda matrix: matrix["axes"].pop("copy"))
    assert sorted(path.name for path in script.directory.glob(".gitlab/*.yml")) == ["pinwheel-ci.yml", "pinwheel-release.yml"]


def test_a_large_pipeline_without_a_store_is_refused(script):
    script.edit(lambda matrix: matrix["axes"].update(copy=[str(n) for n in range(120)]))
    script.commit()
    ran = script.run("ci", "generate", "matrix.yaml", "--for", "gitlab", code=2)
    assert "ci: {store:" in ran.stderr and not (script.directory / ".gitlab").exists()


def test_a_persons_file_is_preserved_and_told_what_it_lacks(script):
    script.commit()
    own = script.directory / ".gitlab-ci.yml"
    own.write_text("lint:\n  script: [true]\n")
    ran = script.run("ci", "generate", "matrix.yaml", "--for", "gitlab")
    assert own.read_text() == "lint:\n  script: [true]\n"
    assert '- local: ".gitlab/pinwheel-ci.yml"' in ran.stderr
    own.write_text("include:\n  - local: .gitlab/pinwheel-ci.yml\n  - local: .gitlab/pinwheel-release.yml\n")
    assert "include" not in script.run("ci", "generate", "matrix.yaml", "--for", "gitlab").stderr
    script.edit(lambda matrix: matrix["channels"].pop("release"))
    removed = script.run("ci", "generate", "matrix.yaml", "--for", "gitlab").stderr
    assert "still includes `pinwheel-release.yml`" in removed
    pipeline = script.directory / ".gitlab" / "pinwheel-ci.yml"
    pipeline.write_text(pipeline.read_text().replace(
        "  # pinwheel: keep defaults\n", "  # pinwheel: keep defaults\n  services: [redis]\n"))
    script.run("ci", "generate", "matrix.yaml", "--for", "gitlab")
    assert "  services: [redis]\n" in pipeline.read_text()
    script.run("ci", "check", "matrix.yaml", "--for", "gitlab")
    pipeline.write_text(pipeline.read_text().replace("stage: pinwheel-gate", "stage: pinwheel-test"))
    ran = script.run("ci", "check", "matrix.yaml", "--for", "gitlab", code=7)
    assert "ci generate matrix.yaml --for gitlab" in ran.stderr


@pytest.mark.workflows
def test_another_reader_runs_the_same_jobs(pipelines):
    """gitlabci-local runs jobs on this machine, in the checkout itself, and reads the included file."""
    # It runs jobs in the directory of the file.
    main = pipelines.project.directory / "alone.yml"
    main.write_text((pipelines.project.directory / ".gitlab" / "pinwheel-ci.yml").read_text())
    ran = subprocess.run(
        [GCIL, "-c", str(main), "-H", "-p", "-e", "CI_PIPELINE_SOURCE=merge_request_event", "-e", "CI_JOB_ID=7",
         "-e", f"CI_PROJECT_DIR={pipelines.project.directory}"],
        cwd=pipelines.project.directory, env=pipelines.environment(), capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    made = {path.name for path in (pipelines.project.directory / ".pinwheel-run" / "in").glob("result-*")}
    assert made == {f"{name}-7" for name in ALL}


def test_a_manifest_for_kubernetes_passes_the_schemas(script):
    def change(matrix):
        matrix["ci"] = {"container": {"image": "registry.example/builder:1", "prepare": "true"}}

    script.edit(change)
    script.commit()
    ran = script.run("ci", "generate", "matrix.yaml", "--for", "kubernetes")
    assert "publishes nothing" in ran.stderr
    manifests = sorted((script.directory / "kubernetes").iterdir())
    assert [path.name for path in manifests] == ["pinwheel-ci.yaml", "pinwheel-release.yaml"]
    for path in manifests:
        subprocess.run([VALIDATE, "--strict", str(path)], check=True, capture_output=True, text=True)
        objects = [each for each in yaml.safe_load_all(path.read_text()) if each]
        config, *jobs = objects
        stages = [job["metadata"]["labels"]["pinwheel/stage"] for job in jobs]
        assert stages == ["plan", "build", "test", "gate"]
        for job in jobs[1:3]:
            rows = config["data"][job["metadata"]["name"].removeprefix(path.stem + "-")].splitlines()
            assert job["spec"]["completions"] == len(rows) == 2
        shell = subprocess.run(["bash", "-n"], input=config["data"]["run.sh"], text=True, capture_output=True)
        assert shell.returncode == 0, shell.stderr
    broken = script.directory / "broken.yaml"
    broken.write_text(manifests[0].read_text().replace("completions: 2", "completions: two"))
    assert subprocess.run([VALIDATE, "--strict", str(broken)], capture_output=True).returncode != 0


@pytest.mark.workflows
def test_the_pods_of_a_manifest_do_what_a_release_does(script, tmp_path):
    """The script of the pods, run for each index of each Job in the order of the stages, on this machine."""
    script.edit(lambda matrix: matrix.update(ci={"container": {"image": "registry.example/builder:1"}}))
    script.commit()
    script.run("ci", "generate", "matrix.yaml", "--for", "kubernetes")
    config, *jobs = [each for each in yaml.safe_load_all(
        (script.directory / "kubernetes" / "pinwheel-ci.yaml").read_text()) if each]
    rows = tmp_path / "rows"
    rows.mkdir()
    shared = tmp_path / "shared"
    shared.mkdir()
    for name, text in config["data"].items():
        (rows / name).write_text(text)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "pinwheel").symlink_to(script.binary)
    head = script.git("rev-parse", "HEAD").strip()
    for job in jobs:
        pod = job["spec"]["template"]["spec"]["containers"][0]
        variables = {each["name"]: each["value"] for each in pod["env"] if "value" in each}
        for index in range(job["spec"].get("completions", 1)):
            work = tmp_path / f"{job['metadata']['name']}-{index}"
            work.mkdir()
            places = {"/etc/pinwheel": rows, "/shared": shared, "/scratch": work}

            def at_home(text, places=places):
                """A text with the places of a pod below directories of this machine."""
                return re.sub("|".join(places), lambda found: str(places[found[0]]), text)

            ran = subprocess.run(
                ["bash", "-c", at_home(config["data"]["run.sh"])], capture_output=True, text=True, timeout=300,
                env=script.environment | {name: at_home(value) for name, value in variables.items()} | {
                    "PATH": f"{programs}:{script.environment['PATH']}", "REPOSITORY": str(script.directory),
                    "COMMIT": head, "JOB_COMPLETION_INDEX": str(index)})
            assert ran.returncode == 0, f"{job['metadata']['name']} {index}\n{ran.stdout}{ran.stderr}"
