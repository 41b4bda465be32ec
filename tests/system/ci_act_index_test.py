"""Releases whose jobs publish to a real index with a secret, run by act; pip installs what is there."""

import pathlib
import re
import subprocess
import sys
import zipfile

import pytest
from act_workflows import SECRET, Workflows
from conftest import digests
from guarded_index import guarded_index
from indexes import pip_installs

VARIANTS = [f"{flavor}-torch{torch}" for flavor in ("loud", "plain") for torch in ("2.12", "2.13")]
ALL = sorted(
    [f"result-build-{flavor}-1" for flavor in ("loud", "plain")]
    + [f"result-test-cp311-{variant}-1" for variant in VARIANTS]
)
WHEELS = {flavor: f"script_only-1.2.0+{flavor}-py3-none-any.whl" for flavor in ("loud", "plain")}
TOKEN = "PINWHEEL_TOKEN_INDEX"


@pytest.fixture
def url(packages):
    """An index that takes uploads with the secret."""
    with guarded_index(packages, SECRET) as address:
        yield address


@pytest.fixture
def workflows(project, url, tmp_path):
    """Two builds and four tests, since torch is not in the binaries; the script does not install it either."""
    script = project("script")

    def change(matrix):
        matrix["axes"]["torch"] = ["2.12", "2.13"]
        matrix["abi"]["torch"] = "none"
        matrix["publish"]["index"] = {"kind": "index", "url": f"{url}/", "label": "local"}

    script.edit(change)
    return Workflows(script, tmp_path / "act")


def wheels_in(result: pathlib.Path) -> set[str]:
    """The digests of the wheels in a result."""
    return {digest for name, digest in digests(result / "cas").items() if zipfile.is_zipfile(result / "cas" / name)}


def install(url: str, place: pathlib.Path, requirement: str) -> str:
    """The output of the module that pip installs from the index."""
    pip_installs(f"{url}/simple/", place, requirement)
    code = "import script_only; print(script_only.FLAVOR)"
    python = [sys.executable, "-c", code]
    ran = subprocess.run(python, env={"PYTHONPATH": str(place)}, check=True, capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.mark.workflows
@pytest.mark.takes(60)
def test_two_builds_and_four_tests_reach_an_index_and_pip_installs_from_it(workflows, url, packages, tmp_path):
    secret = ("-s", f"{TOKEN}={SECRET}")
    checked = workflows.run("ci", "pull_request", *secret)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert workflows.results() == ALL
    assert workflows.invocations() == [] and list(packages.iterdir()) == []
    workflows.forget()

    ran = workflows.run("release", "push", *secret)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert workflows.results() == ALL
    # Only two commands run in all jobs: the version check of the publish job's action, and the upload.
    assert workflows.invocations() == ["--version", "release --target"]
    there = digests(packages)
    assert sorted(there) == sorted(WHEELS.values())
    for flavor, wheel in WHEELS.items():
        assert wheels_in(workflows.artifacts / f"result-build-{flavor}-1") == {there[wheel]}
        assert install(url, tmp_path / flavor, f"script-only==1.2.0+{flavor}") == flavor
    files = [path for path in workflows.artifacts.rglob("*") if path.is_file()]
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []


def job(ran: subprocess.CompletedProcess, name: str) -> str:
    return "\n".join(line for line in ran.stdout.splitlines() if re.match(rf"\[pinwheel-release/{name}\s*\]", line))


@pytest.mark.workflows
@pytest.mark.takes(30)
def test_an_index_that_refuses_fails_its_job_alone_which_publishes_when_it_is_run_again(workflows, packages):
    workflows.generate(lambda matrix: matrix["axes"].update(flavor=["plain"], torch=["2.13"]))
    steps = ["result-build-plain-1", "result-test-cp311-plain-torch2.13-1"]
    refused = workflows.run("release", "push", "-s", f"{TOKEN}=not-{SECRET}")
    assert refused.returncode != 0
    assert workflows.results() == steps and list(packages.iterdir()) == []
    assert "Job succeeded" in job(refused, "pinwheel")
    output = job(refused, "publish to index")
    assert "exit status 6" in output
    assert re.search(r"publish:index +failed", output), output
    hints = set(re.findall(r"\| +hint: (.*)", output))
    assert len(hints) == 1 and all(hint.startswith("check the token") and TOKEN in hint for hint in hints), output

    # Somebody corrects the secret and runs the failed job again, for which the others' artifacts are there.
    kept = {name: digests(workflows.artifacts / name) for name in steps}
    again = workflows.run("release", "push", "-s", f"{TOKEN}={SECRET}", "--env", "GITHUB_RUN_ATTEMPT=2")
    assert again.returncode == 0, again.stdout + again.stderr
    assert {name: digests(workflows.artifacts / name) for name in workflows.results()} == kept
    assert list(digests(packages)) == [WHEELS["plain"]]


@pytest.mark.workflows
@pytest.mark.takes(30)
def test_the_tag_of_a_recut_publishes_wheels_with_its_build_number(workflows, url, packages, tmp_path):
    def change(matrix):
        matrix["axes"].update(flavor=["plain"], torch=["2.13"])
        matrix["package"]["version"]["recut"] = True

    workflows.generate(change)
    script = workflows.project
    script.run("release", "matrix.yaml", **{TOKEN: SECRET})
    first = digests(packages)
    assert list(first) == [WHEELS["plain"]]

    source = script.directory / "make_wheel.py"
    source.write_text(source.read_text().replace('f"FLAVOR', 'f"CUT = 1\\n" f"FLAVOR'))
    script.git("commit", "-q", "-am", "build again")
    script.git("tag", "v1.2.0-r1")
    ran = workflows.run("release", "push", "-s", f"{TOKEN}={SECRET}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "re-cut of version 1.2.0: its wheels have build number 1" in ran.stdout
    recut = WHEELS["plain"].replace("+plain-", "+plain-1-")
    there = digests(packages)
    assert there[WHEELS["plain"]] == first[WHEELS["plain"]] and set(there) == {WHEELS["plain"], recut}
    assert wheels_in(workflows.artifacts / "result-build-plain-1") == {there[recut]}
    assert install(url, tmp_path / "place", "script-only==1.2.0+plain") == "plain"
    assert "CUT = 1" in (tmp_path / "place" / "script_only.py").read_text()
