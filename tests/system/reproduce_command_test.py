"""`pinwheel reproduce`: a failure in one clone is the same in another, and passes once it is fixed."""

import contextlib
import http.server
import json
import shutil
import subprocess

import pytest
from conftest import PYTHON, Project, digests
from contained import contain
from loopback import serving

TAG = "cp" + PYTHON.replace(".", "")
STEP = "build:plain"
REASON = "no-such-thing"
BROKEN = f"print('{REASON}'); raise SystemExit(3)\n"


def change_source(project, change) -> None:
    """Rewrites the script that makes the wheel, and commits it."""
    path = project.directory / "make_wheel.py"
    path.write_text(change(path.read_text()))
    project.commit()


def fixed(text: str) -> str:
    assert text.startswith(BROKEN)
    return text.removeprefix(BROKEN)


class Failed:
    """A failed run: its clone, its report and its step summary."""

    def __init__(self, project: Project, *arguments: str, step: str, code: int = 1):
        self.project = project
        self.summary = project.directory.parent / "summary.md"
        ran = project.run(*arguments, "--json", code=code, GITHUB_STEP_SUMMARY=str(self.summary))
        self.report = project.directory.parent / "report.json"
        self.report.write_text(ran.stdout)
        self.document = json.loads(ran.stdout)
        self.stderr = ran.stderr
        self.step = step

    def elsewhere(self, **environment: str) -> Project:
        """Another clone whose HEAD has moved on, with an empty state directory."""
        directory = self.project.directory.parent / "other"
        subprocess.run(["git", "clone", "-q", self.project.directory, directory], check=True)
        environment = {**self.project.environment, **environment}
        other = Project(self.project.binary, directory, environment, directory.parent / "no-resolutions")
        (directory / "moved-on").write_text("")
        (directory / "matrix.yaml").unlink()
        other.git("add", "-A")
        other.git("commit", "-q", "-m", "something else")
        return other


@pytest.fixture
def failed(project) -> Failed:
    """A build whose command prints the reason and exits with code 3."""
    script = project("script")
    change_source(script, lambda text: BROKEN + text)
    return Failed(script, "build", "matrix.yaml", "--only", f"{TAG}-plain", step=STEP)


def worktrees(project) -> int:
    return len(project.git("worktree", "list").splitlines())


def test_the_report_has_everything_another_machine_needs(failed):
    run = failed.document["run"]
    assert failed.document["schema"] == "pinwheel-report/2"
    assert run["commit"] == failed.project.git("rev-parse", "HEAD").strip() and run["dirty"] is False
    assert run["matrix"] == "matrix.yaml"
    assert run["plan"]["levels"] == {"engine": "host", "python": "venv", "base-images": []}
    assert run["plan"]["variants"] == [f"{TAG}-plain"] and run["plan"]["resolutions"]
    (step,) = run["steps"]
    assert step["id"] == STEP and step["argv"][0] == "python" and step["argv"][2] == "{dest_dir}"
    assert step["variables"]["SCRIPT_FLAVOR"] == "plain" and "PATH" not in step["variables"]
    assert f"pinwheel reproduce {STEP}" in failed.stderr
    report_path = next((failed.project.state / "logs").glob("*/report.json"))
    assert json.loads(report_path.read_text())["run"] == run


def test_another_clone_fails_in_the_same_way(failed):
    other = failed.elsewhere()
    ran = other.run("reproduce", str(failed.report), code=1)
    assert ran.stdout == f"{STEP}: failed (exit code 3)\n" and REASON in ran.stderr
    assert failed.document["outcomes"][-1]["error"]["message"] in ran.stderr
    assert worktrees(other) == 1 and other.git("status", "--porcelain") == ""
    assert other.journal() == [] and other.wheels() == {}


def test_with_an_empty_cache_the_exact_packages_of_the_run_are_installed(project, tmp_path):
    """A compile error, reproduced from only the report and the commit."""
    extension = project("extension")
    source = extension.directory / "src" / "tiny_ext" / "native.c"
    source.write_text(source.read_text().replace("return PyLong_FromLong(3 * value);", "return no_such_thing;"))
    extension.edit(lambda matrix: matrix["package"].update(sdist=False))
    step = f"build:{TAG}-plain"
    failed = Failed(extension, "build", "matrix.yaml", "--only", f"{TAG}-plain", step=step)
    other = failed.elsewhere(PINWHEEL_CACHE_DIR=str(tmp_path / "cache"))
    ran = other.run("reproduce", str(failed.report), code=1)
    assert ran.stdout == f"{step}: failed (exit code 1)\n"
    assert "native.c" in ran.stderr and "no_such_thing" in ran.stderr
    assert failed.document["outcomes"][-1]["error"]["message"] in ran.stderr

    frozen = failed.document["run"]["plan"]["resolutions"]
    made = [json.loads(path.read_text()) for path in (tmp_path / "cache" / "environments").glob("*/pinwheel-complete.json")]
    installed = {each["resolution"]["request"]: each["resolution"]["packages"] for each in made}
    assert frozen and installed == {digest: json.loads(text)["packages"] for digest, text in frozen.items()}
    assert "setuptools" in {package["name"] for packages in installed.values() for package in packages}
    # They count for this run: nothing is recorded for another.
    assert not list(other.state.glob("reproduce/*/resolutions/*"))


def test_once_it_is_fixed_the_step_passes(failed):
    other = failed.elsewhere()
    other.git("checkout", "-q", failed.document["run"]["commit"])
    failed_here = other.run("reproduce", str(failed.report), "--here", code=1)
    assert REASON in failed_here.stderr
    change_source(other, fixed)
    passed = other.run("reproduce", str(failed.report), "--here")
    assert passed.stdout == f"{STEP}: done\n"
    assert "the package source differs from that of the run" in passed.stderr
    # The recorded commit is still broken.
    other.run("reproduce", str(failed.report), code=1)


def test_a_step_summary_or_the_page_that_shows_it_works_too(failed):
    other = failed.elsewhere()
    assert REASON in other.run("reproduce", str(failed.summary), code=1).stderr
    page = failed.summary.read_text().replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    with web_of({"/run/7": (200, f"<html><body><pre>{page}</pre></body></html>")}) as address:
        assert REASON in other.run("reproduce", f"{address}/run/7", code=1).stderr
        absent = other.run("reproduce", f"{address}/run/8", code=2)
        assert f"`{address}/run/8` answered 404" in absent.stderr and "hint:" in absent.stderr


def test_an_id_is_enough_where_it_failed(failed):
    project = failed.project
    change_source(project, fixed)  # HEAD has moved on, but the failed commit is used
    for name in (f"{TAG}-plain", STEP):
        ran = project.run("reproduce", name, "matrix.yaml", code=1)
        assert ran.stdout == f"{STEP}: failed (exit code 3)\n" and REASON in ran.stderr
    project.run("build", "matrix.yaml", "--only", f"{TAG}-plain")
    # Its last run did not fail: the build is run as it is now.
    ran = project.run("reproduce", f"{TAG}-plain", "matrix.yaml")
    assert ran.stdout == f"{STEP}: done\n" and "from this checkout" in ran.stderr


def test_a_shell_instead_of_the_step(failed):
    other = failed.elsewhere()
    ran = subprocess.run(
        other.command("reproduce", str(failed.report), "--shell"),
        cwd=other.directory, env=other.environment, input=f"grep -c {REASON} make_wheel.py; exit 4\n",
        capture_output=True, text=True,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (4, "1\n"), ran.stderr
    assert "the step runs: python" in ran.stderr
    assert worktrees(other) == 1


def test_a_failed_test_is_repeated_with_the_wheel_it_needs(project):
    script = project("script")
    check = "import os, sys; print('the reason'); sys.exit(3 * (os.environ['SCRIPT_FLAVOR'] == 'loud'))"
    script.edit(lambda matrix: matrix["test"].update(command=["python", "-c", check]))
    failed = Failed(script, "test", "matrix.yaml", "--keep-going", step=f"test:{TAG}-loud")
    assert [step["id"] for step in failed.document["run"]["steps"]] == [failed.step]
    other = failed.elsewhere()
    ran = other.run("reproduce", str(failed.report), code=1)
    assert ran.stdout == f"{failed.step}: failed (exit code 3)\n" and "the reason" in ran.stderr
    ran = other.run("reproduce", str(failed.report), f"{TAG}-plain", code=2)
    assert f"`{TAG}-plain` did not fail in that run" in ran.stderr and failed.step in ran.stderr


def test_a_step_that_cannot_be_repeated_says_why(failed):
    other = failed.elsewhere()
    broken = other.directory.parent / "broken.json"

    def document(change) -> str:
        report = json.loads(failed.report.read_text())
        change(report)
        broken.write_text(json.dumps(report))
        return other.run("reproduce", str(broken), code=2).stderr

    absent = "a" * 40
    text = document(lambda report: report["run"].update(commit=absent))
    assert f"no commit `{absent}`" in text and f"git fetch origin {absent}" in text
    assert "pinwheel-report/9" in document(lambda report: report.update(schema="pinwheel-report/9"))
    assert "not a matrix file" in document(lambda report: report["run"].update(matrix="../x.yaml"))
    assert "has no record of its run's commit" in document(lambda report: report.pop("run"))
    assert "there is no report `gone.json`" in other.run("reproduce", "gone.json", code=2).stderr
    assert "hint:" in failed.project.run("reproduce", f"{TAG}-plane", "matrix.yaml", code=2).stderr
    assert other.git("status", "--porcelain") == ""


@pytest.mark.parametrize("step", ["..", ".", "", "x" * 400, "build:" + "../" * 20])
def test_a_report_that_names_no_step_changes_nothing_here(failed, step):
    project = failed.project
    project.run("reproduce", str(failed.report), code=1)
    before = digests(project.state)
    assert "journal.jsonl" in before
    report = failed.document | {"outcomes": [outcome | {"id": step} for outcome in failed.document["outcomes"]]}
    failed.report.write_text(json.dumps(report))
    refused = project.run("reproduce", str(failed.report), code=2)
    assert "hint:" in refused.stderr
    after = digests(project.state)
    assert {name: after.get(name) for name in before} == before
    # A directory of its own is all that a text may get that looks like an id.
    assert step.startswith("build:") or after == before


def test_a_report_may_not_crash_or_hang_whoever_reads_it(failed):
    """Both end at once; the time limit only ends a hang."""
    project = failed.project
    project.patience = 120
    start = '{"schema":"pinwheel-report/2","signal":0,"elapsed_ms":0,"outcomes":['
    for text in (start + "[" * 400_000 + "]" * 400_000 + "]}", '{"pinwheel-report/' * 60_000):
        failed.report.write_text(text)
        refused = project.run("reproduce", str(failed.report), code=2)
        assert "report.json`" in refused.stderr and "hint:" in refused.stderr


def test_a_frozen_plan_needs_no_engine_options(project, channel):
    """`--plan` takes the engine and Python source from `plan --out`."""
    script = project("script")
    conda = {"channels": [channel.url], "packages": ["python={python}"]}
    inside = "import sys; assert '/conda/conda-' in sys.base_prefix, sys.base_prefix"

    def change(matrix):
        matrix["environment"]["conda"] = conda
        matrix["test"]["command"] = ["python", "-c", inside]

    script.edit(change)
    script.run("plan", "matrix.yaml", "--python", "conda", "--out", "../plan.json", PINWHEEL_CONDA="rattler")
    frozen = json.loads((script.directory.parent / "plan.json").read_text())
    assert frozen["levels"]["python"] == "conda"
    ran = script.run("build", "matrix.yaml", "--plan", "../plan.json", "--python", "venv", code=2)
    assert "`--python` contradicts the plan" in ran.stderr
    shutil.rmtree(script.state)
    script.run("test", "matrix.yaml", "--plan", "../plan.json", PINWHEEL_CONDA="rattler")


@contextlib.contextmanager
def web_of(pages: dict[str, tuple[int, str]]):
    """A web server on loopback that serves these pages."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status, text = pages.get(self.path, (404, "nothing here"))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *arguments):
            pass

    with serving(Handler) as url:
        yield url


@pytest.mark.docker
def test_a_run_in_containers_is_repeated_in_them(project, engine, bases):
    script = project("script")
    contain(script, bases["bullseye"], "bullseye", "3.9")
    script.environment |= engine.added()
    fails = "import sys; print(open('/etc/os-release').read()); sys.exit(6)"
    script.edit(lambda matrix: matrix["test"].update(command=["python", "-c", fails]))
    failed = Failed(
        script, "test", "matrix.yaml", "--engine", engine.name, "--python", "venv", "--only", "cp39-plain",
        step="test:cp39-plain",
    )  # fmt: skip
    plan = failed.document["run"]["plan"]
    assert plan["levels"]["engine"] == engine.name
    (image,) = plan["images"].values()
    assert image["base"] == bases["bullseye"] and image["base-id"].startswith("sha256:")
    other = failed.elsewhere()
    ran = other.run("reproduce", str(failed.report), code=1)
    assert ran.stdout == "test:cp39-plain: failed (exit code 6)\n" and "bullseye" in ran.stderr
    assert engine.containers() == []
