"""`pinwheel release` to an index: several names, a kill in the middle, what is reported and what is masked."""

import json
import subprocess

import pytest
from conftest import Project
from indexes import fake_index, log_of, names_of, real_index
from processes import wait_until

TOKEN = "pypi-canary-0123456789"


@pytest.fixture
def script(project):
    """A function that makes a project with two wheels that are published to the index at a URL."""

    def make(url: str, **target: str) -> Project:
        script = project("script")
        index = {"kind": "index", "url": url, "label": "local", **target}
        script.edit(lambda matrix: matrix["publish"].update(index=index))
        return script

    return make


def log_text(script: Project) -> str:
    """The log of the last run's upload."""
    return max((script.state / "logs").glob("*/publish-index.1.log")).read_text()


def test_a_release_shows_the_state_of_its_index_before_it_builds(script, tmp_path):
    packages = tmp_path / "packages"
    packages.mkdir()
    with real_index(packages) as url:
        one = script(url + "/", auth="none")
        ran = one.run("release", "matrix.yaml")
        lines = ran.stderr.splitlines()
        heads = [at for at, line in enumerate(lines) if line.split()[:3] == ["target", "project", "version"]]
        assert len(heads) == 1
        rows = [line.split() for line in lines[heads[0] + 1 : heads[0] + 3]]
        assert [row[:2] + row[3:8] for row in rows] == [["index", "script-only", "1", "new", "name", "is", "free"]] * 2
        assert heads[0] < min(at for at, line in enumerate(lines) if "build:" in line)
        one.git("commit", "-q", "--allow-empty", "-m", "more")
        one.git("tag", "v1.3.0")
        again = one.run("release", "matrix.yaml").stderr
        assert again.count("newest 1.2.0+") == 2 and "name is free" not in again


def test_a_dry_run_of_finished_files_has_the_state_of_the_index(script, tmp_path, pinwheel):
    packages = tmp_path / "packages"
    packages.mkdir()
    with real_index(packages) as url:
        one = script(url + "/", auth="none")
        one.run("release", "matrix.yaml")
        wheels = sorted(str(path) for path in packages.glob("*.whl"))
        dry = ("publish", "--dry-run", "--no-auth", "--repository-url", url + "/", "--json", *wheels)
        states = json.loads(one.run(*dry).stdout)["index"]
        assert [(state["present"], state["files"], state["release"]) for state in states] == [(1, 1, "open")] * 2
    unreachable = one.run(*dry)
    assert {state["known"] for state in json.loads(unreachable.stdout)["index"]} == {None}
    assert "is unknown" in unreachable.stderr


def test_a_release_of_two_names_reaches_both(script, tmp_path):
    packages = tmp_path / "packages"
    packages.mkdir()
    with real_index(packages) as url:
        one = script(url + "/", name="{name}-{flavor}", auth="none")
        ran = one.run("release", "matrix.yaml")
        names = sorted(path.name for path in packages.iterdir())
        assert [name.split("-")[0] for name in names] == ["script_only_loud", "script_only_plain"]
        for number, name in enumerate(names, 1):
            assert f"uploading {name} ({number}/2, " in ran.stderr
            assert f"uploaded {name} ({number}/2, " in ran.stderr


def test_a_killed_upload_reports_what_was_sent_and_resumes_after_it(script):
    with fake_index("--plan", "ok,hang") as url:
        one = script(url + "/", auth="none")
        run = subprocess.Popen(
            one.command("release", "matrix.yaml"),
            cwd=one.directory,
            env=one.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_until(lambda: len(log_of(url)) == 2, run)
        run.kill()
        run.communicate()
        first, second = names_of(log_of(url))
        output = log_text(one)
        assert f"uploading {first} (1/2" in output and f"uploaded {first} (1/2" in output
        assert f"uploading {second} (2/2" in output and f"uploaded {second}" not in output

        outcomes = one.report("release", "matrix.yaml")
        assert outcomes["publish:index"]["state"] == "done"
        assert {o["state"] for step, o in outcomes.items() if step != "publish:index"} == {"reused"}
        assert names_of(log_of(url)) == [first, second, second]
        output = log_text(one)
        assert f"already in index: {first} (1/2" in output and f"uploaded {second} (2/2" in output


def test_the_token_is_masked_in_github_before_it_is_used(script):
    with fake_index("--token", TOKEN) as url:
        one = script(url + "/")
        ran = one.run("release", "matrix.yaml", GITHUB_ACTIONS="true", PINWHEEL_TOKEN_INDEX=TOKEN)
        output = ran.stderr.splitlines()
        uploads = [at for at, line in enumerate(output) if line.startswith(("uploading ", "uploaded "))]
        assert len(uploads) == 4 and output.index(f"::add-mask::{TOKEN}") < uploads[0]
        assert (ran.stdout + ran.stderr).count(TOKEN) == 1
        kept = [path for path in one.state.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
        assert kept == [] and len(log_of(url)) == 2


def test_a_file_above_the_limit_of_its_target_is_not_sent(script):
    with fake_index() as url:
        one = script(url + "/", auth="none", **{"size-limit": "500 B"})
        error = one.report("release", "matrix.yaml", code=5)["publish:index"]["error"]
        assert len(error["causes"]) == 2
        assert all("more than the limit of 500" in cause["message"] for cause in error["causes"])
        assert log_of(url) == []


def test_json_lines_report_the_uploads_too(script):
    with fake_index() as url:
        one = script(url + "/", auth="none")
        ran = one.run("release", "matrix.yaml", "--log-format", "json")
        assert ran.stderr.count('{"event":"upload","stage":"sending"') == 2
        assert ran.stderr.count('{"event":"upload","stage":"sent"') == 2


def test_an_sdist_whose_name_no_wheel_has_is_left_out(project, tmp_path):
    packages = tmp_path / "packages"
    packages.mkdir()
    with real_index(packages) as url:
        one = project("extension")
        index = {"kind": "index", "url": url + "/", "name": "{name}-{flavor}", "auth": "none"}
        one.edit(lambda matrix: matrix["publish"].update(index=index))
        outcomes = one.report("release", "matrix.yaml")
        assert outcomes["sdist"]["state"] == "done" and outcomes["publish:index"]["state"] == "done"
        names = sorted(path.name.split("-")[0] for path in packages.iterdir())
        assert names == ["tiny_ext_loud", "tiny_ext_plain"]
        assert "tiny_ext-1.2.0.tar.gz is left out: no wheel of `tiny-ext` goes to `index`" in log_text(one)
