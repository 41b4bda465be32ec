"""Plans, reports and logs that a command line names are never source."""

import json
import os
import shutil
import stat
import subprocess

import pytest


@pytest.fixture
def script(project):
    return project("script")


def test_a_plan_inside_the_checkout_does_not_make_itself_stale(script):
    script.run("plan", "matrix.yaml", "--out", "plan.json")
    first = (script.directory / "plan.json").read_text()
    outcomes = script.report("build", "--plan", "plan.json", "--step", "build:plain")
    assert outcomes["build:plain"]["state"] == "done"
    script.run("plan", "matrix.yaml", "--out", "plan.json")
    assert (script.directory / "plan.json").read_text() == first


def test_a_committed_plan_is_current_for_its_own_commit(script):
    (script.directory / "plan.json").write_text("an old one\n")
    script.commit()
    script.run("plan", "matrix.yaml", "--out", "plan.json", "--channel", "ci")
    plan = json.loads((script.directory / "plan.json").read_text())
    outcomes = script.report("build", "--plan", "plan.json", "--step", "build:plain")
    assert outcomes["build:plain"]["state"] == "done"
    elsewhere = script.directory.parent / "plan.json"
    shutil.move(script.directory / "plan.json", elsewhere)
    script.git("rm", "-q", "--cached", "plan.json")
    again = script.report("build", "--plan", str(elsewhere), "--step", "build:plain")
    assert again["build:plain"]["state"] == "reused", plan


def test_a_checkout_whose_index_is_locked_can_be_planned(script):
    """As where another git is at work, and where the checkout may only be read."""
    index = script.directory / ".git" / "index"
    before = index.read_bytes()
    (script.directory / ".git" / "index.lock").touch()
    os.utime(script.directory / "make_wheel.py", (1_700_000_000, 1_700_000_000))
    script.run("plan", "matrix.yaml", "--out", "../plan.json")
    frozen = json.loads((script.directory.parent / "plan.json").read_text())
    assert frozen["version"] == "1.2.0"
    assert index.read_bytes() == before


class TestWhereThePlanGoes:
    """Only a regular file is replaced; what else is named stays what it is."""

    @pytest.fixture
    def place(self, script):
        return script.directory.parent

    def test_a_link_stays_and_its_file_is_written(self, script, place):
        (place / "real.json").write_text("an old one\n")
        (place / "link.json").symlink_to("real.json")
        script.run("plan", "matrix.yaml", "--out", "../link.json")
        assert (place / "link.json").is_symlink()
        assert json.loads((place / "real.json").read_text())["version"] == "1.2.0"

    def test_a_fifo_stays_and_its_reader_gets_the_plan(self, script, place):
        os.mkfifo(place / "fifo")
        with subprocess.Popen(["cat", str(place / "fifo")], stdout=subprocess.PIPE, text=True) as reader:
            try:
                script.run("plan", "matrix.yaml", "--out", "../fifo")
                assert stat.S_ISFIFO((place / "fifo").lstat().st_mode)
                output, _ = reader.communicate(timeout=60)
            finally:
                reader.kill()
        assert json.loads(output)["version"] == "1.2.0"

    def test_a_dash_is_stdout(self, script):
        output = script.run("plan", "matrix.yaml", "--out", "-").stdout
        assert json.loads(output)["version"] == "1.2.0"
        assert not (script.directory / "-").exists()
        for more in (["--json"], ["--format", "ids"]):
            refused = script.run("plan", "matrix.yaml", "--out", "-", *more, code=2)
            assert "stdout" in refused.stderr


def test_a_log_inside_the_checkout_changes_nothing(script):
    outcomes = script.report("build", "matrix.yaml", "--log-file", "log.txt", "-j", "1")
    assert outcomes["build:plain"]["state"] == "done"
    again = script.report("build", "matrix.yaml", "--log-file", "log.txt")
    assert again["build:plain"]["state"] == "reused"


def test_a_report_inside_the_checkout_is_no_source(script):
    script.edit(lambda matrix: matrix["test"].update(command=["python", "-c", "raise SystemExit(3)"]))
    ran = script.run("test", "matrix.yaml", "-s", "flavor=plain", "--json", code=1)
    (script.directory / "report.json").write_text(ran.stdout)
    (step,) = [one["id"] for one in json.loads(ran.stdout)["outcomes"] if one["state"] == "failed"]
    again = script.run("reproduce", "report.json", "--here", code=1)
    assert f"{step}: failed (exit code 3)" in again.stdout
    assert "differs" not in again.stderr


def test_a_matrix_given_with_a_plan_must_be_that_of_the_plan(script):
    shutil.copy(script.directory / "matrix.yaml", script.directory / "other.yaml")
    script.commit()
    script.run("plan", "matrix.yaml", "--out", "plan.json")
    refused = script.run("build", "other.yaml", "--plan", "plan.json", code=2)
    assert "`matrix.yaml`" in refused.stderr and "hint: omit the matrix" in refused.stderr
    script.run("plan", "other.yaml", "--plan", "plan.json", "--format", "ids", code=2)
    assert script.starts() == {}
    outcomes = script.report("build", str(script.directory / "matrix.yaml"), "--plan", "plan.json")
    assert outcomes["build:plain"]["state"] == "done"


class TestUntrackedFiles:
    """New code is built before git tracks it; logs and results in the checkout are no source."""

    def build_into(self, script, log):
        """The exit code of a build whose output goes to a file in the checkout."""
        with (script.directory / log).open("a") as out:
            command = script.command("build", "matrix.yaml", "-j", "1")
            ran = subprocess.run(
                command, cwd=script.directory, env=script.environment, stdout=out, stderr=out, timeout=script.patience
            )
        return ran.returncode

    def append_during_builds(self, script, file):
        """Each build adds a line to a file of the checkout before it makes its wheel."""
        append = f'echo "# more" >> {script.directory / file}; exec python make_wheel.py "$1"'
        script.edit(lambda matrix: matrix["build"].update(command=["sh", "-c", append, "sh", "{dest_dir}"]))

    @pytest.mark.parametrize("log", ["log.txt", "pkg/log.txt"])
    def test_the_output_of_the_command_itself_may_be_in_the_checkout(self, script, log):
        (script.directory / "pkg").mkdir()
        (script.directory / "pkg" / "__init__.py").touch()
        script.commit()
        assert [self.build_into(script, log) for _ in range(2)] == [0, 0]
        assert "reused" in (script.directory / log).read_text()

    def test_what_another_program_writes_there_is_no_source(self, script):
        self.append_during_builds(script, "results.txt")
        outcomes = script.report("build", "matrix.yaml", "-j", "1")
        assert [outcomes[f"build:{one}"]["state"] for one in ("plain", "loud")] == ["done", "done"]
        assert (script.directory / "results.txt").read_text() == "# more\n" * 2

    def test_new_code_is_source_and_named_if_it_changes_during_the_run(self, script):
        self.append_during_builds(script, "fresh.py")
        (script.directory / "fresh.py").touch()
        failed = script.run("build", "matrix.yaml", "-j", "1", code=1)
        assert f"`fresh.py` in `{script.directory}/` changed during the run" in failed.stderr
