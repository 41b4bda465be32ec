"""`pinwheel ci explain`: what it says of a job is what the workflows do."""

import json
import subprocess

import ci_generate_test
from ci_generate_test import SETS, axes, jobs_of, matrix

repository = ci_generate_test.repository


def test_explain_says_why_a_job_exists(repository):
    made = matrix(abi={"python": "none"})
    job = json.loads(repository(made, "ci", "explain", "build:cpu", "--channel", "ci", "--json").stdout)
    assert job["variants"] == ["cp311-cpu", "cp312-cpu"]
    assert job["runner"] == "ubuntu-24.04"
    assert "2 variants cannot differ in their binaries" in job["because"]
    assert job["minutes"] >= 1 and job["needs"] == []
    asked = ["ci", "explain", "test:cp311-cpu", "--channel", "ci"]
    minutes = json.loads(repository(None, *asked, "--json").stdout)["minutes"]
    assert repository(None, *asked).stdout.splitlines()[1:] == [
        "  because   every variant that the channel selects is tested", "  runner    ubuntu-24.04",
        f"  minutes   {minutes}", "  after     plan, build:cpu", "  variants  cp311-cpu"]
    ran = repository(None, "ci", "explain", "build cpuu", "--channel", "ci", code=2)
    assert "no job is named `build cpuu`" in ran.stderr


def test_explain_knows_every_job_of_the_workflows(repository):
    made = matrix(axes=axes(2, 200), ci={"name": "ops", "timeout": "90 min"}, channels={
        "ci": {"publish": []}, "nightly": {"version": "nightly", "publish": ["wheels"]}, "release": {"publish": ["wheels"]}})
    made["publish"]["wheels"]["label"] = "local"
    repository(made, "ci", "generate")
    subprocess.run(["git", "-C", repository.root, "tag", "v1.0"], check=True)
    for name in SETS:
        workflow = f"ops-{name}"
        for job, written in jobs_of(repository, workflow).items():
            report = json.loads(repository(None, "ci", "explain", job, "--channel", name, "--json").stdout)
            assert (report["id"], report["needs"], report["workflows"]) == (job, written.get("needs", []), [f"pinwheel-{workflow}"])
            limit = written["timeout-minutes"]
            assert limit in (report["limit"], "${{ matrix.limit || %d }}" % report["limit"])
            assert report["runners"] == ["ubuntu-24.04"] and report["minutes"] >= 1 and report["because"]
            if "matrix" not in written["name"]:
                assert report["job"] == written["name"]
                again = repository(None, "ci", "explain", written["name"], "--channel", name, "--json").stdout
                assert json.loads(again) == report
    assert repository(None, "ci", "explain", "pinwheel ops", "--channel", "release").stdout.splitlines() == [
        "pinwheel ops", "  because   it fails on anything that is missing; require this one check",
        "  runner    ubuntu-24.04", "  minutes   2, at most 30",
        "  after     plan, list-2, build, build-2, test, test-2", "  in        pinwheel-ops-release"]
    ran = repository(None, "ci", "explain", "publish-wheel", "--channel", "release", code=2)
    assert "no job is named `publish-wheel`" in ran.stderr and "`publish-wheels`" in ran.stderr


def test_a_test_without_a_runner_has_no_job_to_explain(repository):
    made = matrix(axes={"python": ["3.11"], "compute": ["cpu", "cuda/13.0"]}, test={"hardware": "gpu"})
    ran = repository(made, "ci", "explain", "test:cp311-cu130", "--channel", "ci", code=2)
    assert "`test:cp311-cu130` gets no job" in ran.stderr and "ci: {runners: {test:" in ran.stderr
    made["ci"] = {"runners": {"test": {"cuda/*": ["self-hosted", "gpu"]}}}
    job = json.loads(repository(made, "ci", "explain", "test:cp311-cu130", "--channel", "ci", "--json").stdout)
    assert job["runner"] == ["self-hosted", "gpu"]
