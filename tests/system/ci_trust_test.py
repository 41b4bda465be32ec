"""Files that a commit or the code of a test can plant for a generated workflow do not change its result."""

import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest
import yaml
from act_workflows import Workflows
from conftest import PYTHON
from indexes import pip_installs
from jobs import Jobs

TAG = "cp" + PYTHON.replace(".", "")
ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = "import pathlib\npathlib.Path({mark!r}).open('a').write(__file__ + '\\n')\nraise SystemExit('planted')\n"


def published(workflows: Workflows) -> list[str]:
    (index,) = workflows.indexes()
    return sorted(path.name.split("-")[1] for path in index.rglob("*.whl"))


def plant(directory: pathlib.Path, mark: pathlib.Path) -> list[str]:
    """Modules with the name of each one of the standard library, which leave a mark where Python runs them."""
    names = [name for name in sorted(sys.stdlib_module_names | {"pip", "sitecustomize", "usercustomize"}) if name != "__main__"]
    for name in names:
        (directory / f"{name}.py").write_text(MARK.format(mark=str(mark)))
    return names


def test_a_committed_plan_results_and_fingerprint_are_never_read(script, workflows, tmp_path):
    one = Jobs(script, tmp_path / "jobs", options=("-s", "flavor=plain"))
    frozen = json.loads(one.plan.read_text())
    frozen["version"] = "6.6.6"
    for place in (".", "pinwheel-run"):
        directory = script.directory / place
        directory.mkdir(exist_ok=True)
        (directory / "plan.json").write_text(json.dumps(frozen))
        (directory / "last-night.txt").write_text("x\n")
        for name in ("in", "out"):
            made = directory / name / "result-build-plain-9" / "ac"
            made.mkdir(parents=True)
            (made / ("0" * 64)).write_text("{")
    script.commit()
    ran = workflows.run("release", "push")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "froze " in ran.stdout and "6.6.6" not in ran.stdout
    assert published(workflows) == ["1.2.0+loud", "1.2.0+plain"]


def test_a_test_cannot_replace_the_result_of_a_build(script, workflows):
    content = workflows.place / "content"
    maker = script.directory / "make_wheel.py"
    module = 'f"FLAVOR = {os.environ.get(\'SCRIPT_FLAVOR\', \'none\')!r}\\n".encode()'
    assert module in maker.read_text()
    maker.write_text(maker.read_text().replace(
        module, module.replace("\\n", f"  # {{pathlib.Path({str(content)!r}).read_text()}}\\n")))
    script.commit()
    content.write_text("forged")
    first = workflows.run("release", "push", "--job", "build")
    assert first.returncode == 0, first.stdout + first.stderr
    (workflows.artifacts / "result-build-plain-1").rename(workflows.place / "forged")
    content.write_text("built")
    second = workflows.run("release", "push", "--env", "GITHUB_RUN_ATTEMPT=2")
    assert second.returncode == 0, second.stdout + second.stderr
    # The code of the test, in a job of a later attempt, put that result into its own artifact.
    shutil.copytree(workflows.place / "forged", workflows.artifacts / f"result-test-{TAG}-plain-3")
    shutil.rmtree(workflows.indexes()[0])
    third = workflows.run("release", "push", "--env", "GITHUB_RUN_ATTEMPT=4")
    assert third.returncode == 0, third.stdout + third.stderr
    refused = f"a result of `build:plain` in `result-test-{TAG}-plain-3` is not used"
    assert refused in " ".join(third.stdout.replace("|", " ").split())
    (index,) = workflows.indexes()
    (plain,) = index.rglob("*+plain-*.whl")
    assert b"# built" in zipfile.ZipFile(plain).read("script_only.py")


def test_a_test_that_had_other_files_of_its_build_does_not_pass_the_gate(script, tmp_path):
    jobs = Jobs(script, tmp_path / "jobs")
    _, artifacts = jobs.make_all()
    job = jobs.job("gate", *artifacts)
    # The tests' inputs are of a build with other files.
    changed = 0
    for record in (job.directory / "in" / "ac").iterdir():
        action = json.loads(record.read_text())
        (own,) = [file for file in action["outputFiles"] if file["path"].startswith("pinwheel")]
        path = job.directory / "in" / "cas" / own["digest"]["hash"]
        result = json.loads(path.read_text())
        if result["step"].startswith("test:"):
            changed += 1
            result["parts"] = {name: "0" * 64 if name.startswith("needs build:") else value
                               for name, value in result["parts"].items()}
            rewrite(job.directory / "in", record, action, own, result)
    assert changed >= 2
    refused = job.run("release", "--plan", "plan.json", "--store", "dir:in", "--reuse-only", "--gate", code=5)
    printed = " ".join(refused.stderr.split())
    assert f"`test:{TAG}-plain` has no result in" in printed
    assert "it had other files of `build:plain` than are there" in printed


def rewrite(place, record, action, own, result) -> None:
    """Puts another record in the place of one."""
    text = json.dumps(result).encode()
    digest = hashlib.sha256(text).hexdigest()
    (place / "cas" / digest).write_bytes(text)
    own["digest"] = {"hash": digest, "sizeBytes": str(len(text))}
    record.chmod(0o644)
    record.write_text(json.dumps(action))


@pytest.mark.parametrize("name, size", [
    ("evil-9.9-py3-none-any.whl", None), ("index.html", None), ("a" * 1000, None), ("x/../../y", None), (".", None),
    (None, 64 << 30)])
def test_outputs_that_are_not_the_plans_are_refused_by_name(script, tmp_path, name, size):
    jobs = Jobs(script, tmp_path / "jobs")
    built, _ = jobs.build("build:plain")
    job = jobs.job("test", built.directory / "out")
    for record in (job.directory / "in" / "ac").iterdir():
        action = json.loads(record.read_text())
        (own,) = [file for file in action["outputFiles"] if file["path"].startswith("pinwheel")]
        result = json.loads((job.directory / "in" / "cas" / own["digest"]["hash"]).read_text())
        (output,) = result["outputs"]
        if name:
            output["name"] = name
        if size:
            output["size"] = size
        for file in action["outputFiles"]:
            if file is not own:
                file["path"], file["digest"]["sizeBytes"] = output["name"], str(output["size"])
        if size:
            blob = job.directory / "in" / "cas" / output["sha256"]
            blob.chmod(0o644)
            with blob.open("r+b") as sparse:
                sparse.truncate(size)
        rewrite(job.directory / "in", record, action, own, result)
    refused = job.run("test", "--plan", "plan.json", "--step", f"test:{TAG}-plain", "--store", "dir:in", "--reuse-only",
                      code=5)
    printed = " ".join(refused.stderr.split())
    assert "`build:plain` has no result in" in printed
    assert ("is not an output of the plan" in printed or "cannot be the name of an output" in printed
            or "should have" in printed), printed
    assert job.wheels() == {}


class TestPython:
    """Python never takes a module from the checkout."""

    def test_the_action_installs_pinwheel(self, tmp_path):
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        (install,) = [step for step in action["runs"]["steps"] if step.get("id") == "install"]
        checkout, mark = tmp_path / "checkout", tmp_path / "mark"
        checkout.mkdir()
        plant(checkout, mark)
        links = tmp_path / "links"
        links.mkdir()
        make_command_wheel(links)
        variables = {
            "PATH": f"{pathlib.Path(sys.executable).parent}:/usr/bin:/bin", "RUNNER_TEMP": str(tmp_path / "temp"),
            "GITHUB_OUTPUT": str(tmp_path / "output"), "VERSION": "0.0.9", "HOME": str(checkout),
            "PYTHONPATH": str(checkout), "PYTHONSTARTUP": str(checkout / "types.py"), "PYTHONHOME": str(checkout),
            "PYTHONUSERBASE": str(checkout), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(links),
        }
        (tmp_path / "temp").mkdir()
        ran = subprocess.run(["bash", "-c", install["run"]], cwd=checkout, env=variables, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert not mark.exists(), mark.read_text()
        shown = subprocess.run([tmp_path / "temp/pinwheel/bin/pinwheel"], capture_output=True, text=True, check=True)
        assert shown.stdout == "installed\n"

    def test_every_stage_of_a_release(self, script, tmp_path):
        mark = tmp_path / "mark"
        jobs = Jobs(script, tmp_path / "jobs")
        jobs.own_caches = True
        job = jobs.job("all")
        shutil.rmtree(job.state)
        names = plant(job.directory, mark)
        # Like files of a checkout outside the package, they do not belong to the source.
        (job.directory / ".git" / "info" / "exclude").write_text("".join(f"/{name}.py\n" for name in names))
        more = {"PYTHONPATH": str(job.directory), "PYTHONUSERBASE": str(job.directory)}
        job.run("plan", "matrix.yaml", "--out", "plan.json", **more)
        subprocess.run(job.command("doctor", "--json"), cwd=job.directory, env=job.environment | more, capture_output=True)
        job.run("test", "--plan", "plan.json", **more)
        job.run("release", "--plan", "plan.json", "--reuse-only", "--gate", **more)
        job.run("release", "--plan", "plan.json", "--reuse-only", "--target", "index", **more)
        assert not mark.exists(), mark.read_text()
        pip_installs((job.index).as_uri(), tmp_path / "installed", "script-only")


def make_command_wheel(directory: pathlib.Path) -> None:
    """A pinwheel-cli whose program says that it was installed."""
    info = "pinwheel_cli-0.0.9.dist-info"
    files = {
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: pinwheel-cli\nVersion: 0.0.9\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "pinwheel_cli-0.0.9.data/scripts/pinwheel": "#!/bin/sh\necho installed\n",
    }
    with zipfile.ZipFile(directory / "pinwheel_cli-0.0.9-py3-none-any.whl", "w") as archive:
        for name, text in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = 0o100755 << 16
            archive.writestr(member, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"]))


class TestFrozenPlans:
    """A plan is of the checkout's commit, version and variants, and leaves nothing for another run."""

    def forge(self, script, **changes) -> pathlib.Path:
        plan = script.directory.parent / "forged.json"
        script.run("plan", "matrix.yaml", "--out", str(plan))
        plan.write_text(json.dumps(json.loads(plan.read_text()) | changes))
        return plan

    def refused(self, script, plan, *more) -> str:
        printed = ""
        for command in (["build"], ["test"], ["release"], ["release", "--reuse-only", "--gate"]):
            printed = " ".join(script.run(*command, "--plan", str(plan), *more, code=7).stderr.split())
        assert script.starts() == {}
        return printed

    def test_of_another_commit(self, script):
        plan = self.forge(script, commit="0" * 40)
        head = script.git("rev-parse", "HEAD").strip()[:7]
        assert f"the plan is of commit `0000000`, and the checkout is at commit `{head}`" in self.refused(script, plan)
        plan = self.forge(script, commit="")
        assert "the plan is of no commit" in self.refused(script, plan)

    def test_of_another_version(self, script):
        plan = self.forge(script, version="6.6.6")
        assert "the plan is of version `6.6.6`" in self.refused(script, plan)

    def test_with_half_of_the_variants(self, script):
        plan = script.directory.parent / "half.json"
        script.run("plan", "matrix.yaml", "-s", "flavor=plain", "--out", str(plan))
        for more in ([], ["--reuse-only", "--gate"], ["--reuse-only", "--target", "index"]):
            printed = " ".join(script.run("release", "--plan", str(plan), *more, code=7).stderr.split())
            assert f"the plan lacks 1 of the 2 variants of channel `release`: `{TAG}-loud`" in printed
        # Whoever selects that part of it has it.
        script.run("release", "--plan", str(plan), "-s", "flavor=plain")

    def test_its_packages_are_those_of_one_run(self, script):
        plan = script.directory.parent / "planted.json"
        script.run("plan", "matrix.yaml", "--out", str(plan))
        frozen = json.loads(plan.read_text())
        request, text = next(iter(frozen["resolutions"].items()))
        planted = "f" * 64
        frozen["resolutions"][planted] = text
        plan.write_text(json.dumps(frozen))
        shutil.rmtree(script.state)
        store = script.directory.parent / "store"
        store.mkdir()
        script.run("plan", "--plan", str(plan), "--format", "json")
        script.run("store", "why", "build:plain", "--plan", str(plan), "--store", f"dir:{store}")
        script.run("build", "--plan", str(plan))
        kept = {path.stem for path in (script.state / "resolutions").glob("*.json")}
        assert planted not in kept and request not in kept
