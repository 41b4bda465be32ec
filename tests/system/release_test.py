"""From a matrix to an index and back with pip, for a small C extension."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler

import pytest
from conftest import PYTHON, digests
from indexes import pip_installs
from loopback import serving

# One release serves this whole file.
pytestmark = pytest.mark.xdist_group("release")
TAG = "cp" + PYTHON.replace(".", "")
VARIANTS = [f"{TAG}-plain", f"{TAG}-loud"]
SDIST = "tiny_ext-1.2.0.tar.gz"


def states(outcomes):
    return {step: outcome["state"] for step, outcome in outcomes.items()}


@pytest.fixture
def extension(project):
    return project("extension")


@pytest.fixture(scope="module")
def released(make_project, tmp_path_factory):
    """A release that several tests read; none of them changes it."""
    extension = make_project("extension", tmp_path_factory.mktemp("released") / "project")
    outcomes = extension.report("release", "matrix.yaml")
    assert set(states(outcomes).values()) == {"done"}, states(outcomes)
    return extension, outcomes


def install(index: str, directory, what: str = "tiny-ext") -> str:
    """The output of the package that pip installs from this index."""
    pip_installs(index, directory, "--only-binary", ":all:", what)
    script = "import tiny_ext; print(tiny_ext.flavor(), tiny_ext.triple(5))"
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(directory)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


@pytest.fixture(scope="module")
def served(released):
    extension, _ = released
    with serving(partial(SimpleHTTPRequestHandler, directory=str(extension.index))) as url:
        yield url


def test_a_release_builds_tests_and_publishes_every_variant(released):
    extension, outcomes = released
    wanted = {"sdist", "publish:index"}
    wanted |= {f"{stage}:{variant}" for stage in ("build", "test") for variant in VARIANTS}
    assert {step for step in outcomes if not step.startswith("env:")} == wanted
    assert all(outcomes[f"test:{variant}"]["evidence"] == "ran" for variant in VARIANTS)
    for variant, flavor in zip(VARIANTS, ("plain", "loud")):
        (output,) = outcomes[f"build:{variant}"]["outputs"]
        name = os.path.basename(output["path"])
        assert name.startswith(f"tiny_ext-1.2.0+{flavor}-{TAG}-{TAG}-manylinux"), name
        assert extension.wheels()[name] == output["sha256"]
        with zipfile.ZipFile(output["path"]) as wheel:
            record = json.loads(wheel.read(f"tiny_ext-1.2.0+{flavor}.dist-info/pinwheel.json"))
        assert record["class"] == variant and record["variants"] == [variant]
    assert len(extension.wheels()) == 3


def test_the_record_of_a_release_has_its_files_its_tag_and_its_commit(released):
    extension, _ = released
    record = json.loads((extension.output / "pinwheel-release.json").read_text())
    assert {file["filename"]: file["sha256"] for file in record["files"]} == extension.wheels()
    assert all(file["size"] == (extension.output / file["filename"]).stat().st_size for file in record["files"])
    assert record["files"] == sorted(record["files"], key=lambda file: file["filename"])
    commit = extension.git("rev-parse", "HEAD").strip()
    assert {key: value for key, value in record.items() if key != "files"} == {
        "schema": "pinwheel-release/1",
        "project": "tiny-ext",
        "version": "1.2.0",
        "tag": "v1.2.0",
        "commit": commit,
    }


def test_publish_takes_the_record_among_its_files_for_no_wheel(released):
    extension, _ = released
    everything = sorted(str(path) for path in extension.output.glob("[!.]*"))
    assert any(path.endswith("pinwheel-release.json") for path in everything)
    url = ("--repository-url", "https://index.invalid/", "--no-confirm", "--dry-run")
    ran = extension.run("publish", *everything, *url)
    assert [line.split()[1] for line in ran.stdout.splitlines()] == sorted(
        (name for name in extension.wheels()), key=lambda name: (name.endswith(".tar.gz"), name)
    )


def test_the_checkout_is_unchanged(released):
    extension, _ = released
    assert extension.git("status", "--porcelain", "--ignored") == ""


def test_pip_installs_from_the_index_over_http(released, served, tmp_path):
    assert install(f"{served}/", tmp_path / "root") == "plain 15"
    assert install(f"{served}/loud/", tmp_path / "loud") == "loud 15"


def test_pip_installs_from_the_index_as_files(released, tmp_path):
    extension, _ = released
    assert install(extension.index.as_uri() + "/loud/", tmp_path / "loud", "tiny-ext==1.2.0+loud") == "loud 15"


def test_the_sdist_is_checked_finished_and_complete(released, tmp_path):
    extension, outcomes = released
    (output,) = outcomes["sdist"]["outputs"]
    assert extension.wheels()[SDIST] == output["sha256"]
    with tarfile.open(output["path"]) as archive:
        members = archive.getmembers()
        archive.extractall(tmp_path, filter="data")
    assert {member.mtime for member in members} == {int(extension.git("log", "-1", "--format=%ct"))}
    assert {(member.uid, member.uname) for member in members} == {(0, "")}
    assert "Version: 1.2.0" in (tmp_path / "tiny_ext-1.2.0" / "PKG-INFO").read_text().splitlines()
    assert (tmp_path / "tiny_ext-1.2.0" / "src" / "tiny_ext" / "native.c").is_file()


def test_a_second_release_reuses_everything_and_starts_nothing(released):
    extension, _ = released
    before = extension.starts(), digests(extension.index), extension.wheels()
    again = extension.report("release", "matrix.yaml")
    assert set(states(again).values()) == {"reused"}
    assert (extension.starts(), digests(extension.index), extension.wheels()) == before


def test_a_removed_or_altered_wheel_is_rebuilt_with_the_same_bytes(released):
    extension, _ = released
    before = extension.wheels()
    plain = next(name for name in before if "plain" in name)
    (extension.output / plain).write_bytes(b"another")
    again = states(extension.report("build", "matrix.yaml"))
    assert again[f"build:{VARIANTS[0]}"] == "done" and again[f"build:{VARIANTS[1]}"] == "reused"
    assert extension.wheels() == before


def test_logs_shows_the_log_of_a_step(released):
    extension, _ = released
    shown = extension.run("logs", f"build:{VARIANTS[1]}").stdout
    assert "native.c" in shown and "-m build --wheel" in shown
    assert "checked loud" in extension.run("logs", f"test:{VARIANTS[1]}").stdout
    refused = extension.run("logs", "build:nothing", code=2)
    assert "build:nothing" in refused.stderr and "hint:" in refused.stderr


def test_env_list_shows_the_environment_that_was_made(released):
    extension, _ = released
    listed = json.loads(extension.run("env", "list", "--json").stdout)["environments"]
    assert any(one["complete"] and one["python"].startswith(PYTHON) for one in listed)
    assert all(one["id"] in extension.run("env", "list").stdout for one in listed)


def test_the_id_of_an_environment_is_that_of_its_step(released):
    extension, outcomes = released
    listed = json.loads(extension.run("env", "list", "--json").stdout)["environments"]
    made = [step for step in outcomes if step.startswith("env:")]
    assert made and any(one["id"] in made for one in listed)
    for step in made:
        extension.run("logs", step)
        explained = extension.run("explain", step, "matrix.yaml").stdout
        assert explained.startswith(f"{step}\n") and f"{step} would be reused" in explained
    refused = extension.run("explain", made[0][:-1], "matrix.yaml", code=2)
    assert f"did you mean `{made[0]}`?" in refused.stderr


def test_a_run_of_each_variant_alone_gives_the_bytes_of_the_full_run(released, extension):
    full = released[0].wheels()
    for variant in VARIANTS:
        extension.start_afresh()
        extension.run("build", "matrix.yaml", "--only", variant)
        alone = extension.wheels()
        assert len(alone) == 2 and alone == {name: full[name] for name in alone}


def test_each_github_row_in_its_own_clone_gives_the_bytes_of_the_full_run(released, project):
    extension, _ = released
    rows = json.loads(extension.run("plan", "matrix.yaml", "--format", "github", "--stage", "build").stdout)["include"]
    assert [row["id"] for row in rows] == VARIANTS
    assert [row["flavor"] for row in rows] == ["plain", "loud"]
    made = {}
    for row in rows:
        clone = project("extension", f"clone-{row['id']}/deep/er")
        shutil.rmtree(clone.directory)
        extension.git("clone", "-q", ".", str(clone.directory))
        clone.run("build", "matrix.yaml", "--only", row["id"])
        made |= clone.wheels()
    assert made == extension.wheels()


def test_every_python_of_this_machine_builds_its_own_wheel(extension):
    lines = json.loads(extension.run("doctor", "--json").stdout)["lines"]
    found = " ".join(line["found"] for line in lines if line["name"] == "python")
    minors = {int(minor) for minor in re.findall(r"\b3\.(\d+)\.\d+(?!t)", found)}
    pythons = [f"3.{minor}" for minor in sorted(minors) if 8 <= minor <= 13]
    assert PYTHON in pythons
    # One other Python is enough to test the axis; each costs an environment.
    chosen = [PYTHON, *[p for p in pythons if p != PYTHON][-1:]]
    extension.edit(lambda matrix: matrix["axes"].update(python=chosen, flavor=["plain"]))
    outcomes = extension.report("test", "matrix.yaml")
    assert set(states(outcomes).values()) == {"done"}
    for python in chosen:
        tag = "cp" + python.replace(".", "")
        assert any(f"-{tag}-{tag}-" in name for name in extension.wheels()), extension.wheels()
        assert outcomes[f"test:{tag}-plain"]["evidence"] == "ran"


class TestEvidence:
    """`publish.require` is a gate: a test that did not run keeps its wheel from being published."""

    @pytest.fixture
    def without_gpu(self, project, tmp_path):
        """A project whose tests need a GPU, on a machine that says it has none."""
        script = project("script")
        script.edit(lambda matrix: matrix["test"].update(hardware="gpu"))
        tools = tmp_path / "tools"
        tools.mkdir()
        (tools / "nvidia-smi").write_text("#!/bin/sh\nexit 9\n")
        (tools / "nvidia-smi").chmod(0o755)
        script.environment["PATH"] = f"{tools}:{script.environment['PATH']}"
        assert not os.path.exists("/dev/kfd"), "this machine has an AMD GPU"
        return script

    def test_a_skipped_test_prevents_publishing(self, without_gpu):
        outcomes = without_gpu.report("release", "matrix.yaml", code=5)
        assert states(outcomes)["test:" + VARIANTS[0]] == "skipped"
        assert outcomes["test:" + VARIANTS[0]]["evidence"] == "loaded"
        assert "no GPU here" in outcomes["test:" + VARIANTS[0]]["reason"]
        error = outcomes["publish:index"]["error"]
        assert error["kind"] == "check" and "--accept" in error["hint"]
        assert {cause["message"].split("`")[1] for cause in error["causes"]} == {f"test:{v}" for v in VARIANTS}
        assert not without_gpu.index.exists()

    def test_an_accepted_reason_allows_publishing(self, without_gpu):
        accepted = [f"--accept={VARIANTS[0]}=tested on the farm", f"--accept={VARIANTS[1]}=same code"]
        without_gpu.report("release", "matrix.yaml", accepted[0], code=5)
        outcomes = without_gpu.report("release", "matrix.yaml", *accepted)
        assert states(outcomes)["publish:index"] == "done"
        assert (without_gpu.index / "script-only" / "index.html").is_file()

    def test_an_acceptance_without_a_reason_is_refused(self, without_gpu):
        refused = without_gpu.run("release", "matrix.yaml", "--accept", VARIANTS[0], code=2)
        assert VARIANTS[0] in refused.stderr and "ID=REASON" in refused.stderr


class TestFrozenPlan:
    @pytest.fixture
    def frozen(self, extension, tmp_path):
        plan = tmp_path / "plan.json"
        extension.run("plan", "matrix.yaml", "--out", str(plan))
        return extension, plan

    def test_a_build_uses_the_frozen_version_even_without_the_tag(self, frozen):
        extension, plan = frozen
        extension.git("tag", "-d", "v1.2.0")
        extension.run("build", "matrix.yaml", "--plan", str(plan), "--only", VARIANTS[0])
        (wheel,) = [name for name in extension.wheels() if name.endswith(".whl")]
        # The plan predicted the name, except for the platform tag, which depends on the binary.
        expected = [name.split("*")[0] for name in json.loads(plan.read_text())["files"]]
        assert any(wheel.startswith(name) for name in expected), (wheel, expected)

    def test_a_changed_source_is_drift(self, frozen):
        extension, plan = frozen
        with open(extension.directory / "setup.py", "a") as file:
            file.write("# changed\n")
        refused = extension.run("build", "matrix.yaml", "--plan", str(plan), code=7)
        assert "package source differs" in refused.stderr and "hint:" in refused.stderr
        assert extension.wheels() == {} and extension.starts() == {}
        extension.commit()
        refused = extension.run("build", "matrix.yaml", "--plan", str(plan), code=7)
        assert "the plan is of commit `" in refused.stderr and "hint:" in refused.stderr

    def test_a_changed_matrix_is_drift(self, frozen):
        extension, plan = frozen
        with open(extension.directory / "matrix.yaml", "a") as file:
            file.write("# changed\n")
        refused = extension.run("build", "matrix.yaml", "--plan", str(plan), code=7)
        assert "matrix file" in refused.stderr and "hint:" in refused.stderr
        assert extension.wheels() == {}

    def test_the_plan_has_the_matrix_the_variables_and_the_channel(self, frozen):
        extension, plan = frozen
        only = extension.run("plan", "--plan", str(plan), "--format", "ids").stdout.split()
        assert only == VARIANTS
        extension.run("build", "--plan", str(plan), "--channel", "other", code=2)
        first = extension.report("build", "--plan", str(plan))
        again = extension.report("build", "--plan", str(plan), CFLAGS="-DCHANGED=1")
        assert {outcome["state"] for outcome in again.values()} == {"reused"}, (first, again)

    def test_single_steps_are_run_with_what_they_need(self, frozen):
        extension, plan = frozen
        rows = json.loads(
            extension.run("plan", "--plan", str(plan), "--format", "github", "--stage", "test").stdout)
        assert rows["chunks"] == 1
        (row,) = [row for row in rows["include"] if row["id"] == VARIANTS[0]]
        assert row["step"] == f"test:{VARIANTS[0]}" and row["needs"] == [row["build"]]
        outcomes = extension.report("test", "--plan", str(plan), "--step", row["step"])
        assert {step for step in outcomes if not step.startswith("env:")} == {row["step"], row["build"]}
        builds = json.loads(
            extension.run("plan", "--plan", str(plan), "--format", "github", "--stage", "build").stdout)
        steps = [row["step"] for row in builds["include"]]
        assert row["build"] in steps and len(steps) == len(set(steps))

    def test_a_step_that_the_plan_does_not_have_is_refused_with_the_nearest(self, frozen):
        extension, plan = frozen
        refused = extension.run("test", "--plan", str(plan), "--step", f"test:{VARIANTS[0]}x", code=2)
        assert f"`test:{VARIANTS[0]}`" in refused.stderr
        refused = extension.run("build", "--plan", str(plan), "--step", f"test:{VARIANTS[0]}", code=2)
        assert "pinwheel test" in refused.stderr
        refused = extension.run("test", "--plan", str(plan), "--step", "sdist", "--only", VARIANTS[0], code=2)
        assert "exclude each other" in refused.stderr
        assert extension.starts() == {}

    def test_a_target_that_the_plan_does_not_have_is_refused(self, frozen):
        extension, plan = frozen
        refused = extension.run("release", "--plan", str(plan), "--target", "elsewhere", code=2)
        assert "`elsewhere`" in refused.stderr
        assert extension.starts() == {}

    def test_rows_of_a_frozen_plan_have_no_shards_and_no_chunk_beyond_the_last(self, frozen):
        extension, plan = frozen
        rows = ["plan", "--plan", str(plan), "--format", "github"]
        extension.run(*rows, "--shards", "2", code=2)
        extension.run(*rows, "--chunk", "2", code=2)
        extension.run("plan", "matrix.yaml", "--chunk", "1", code=2)

    def test_a_file_that_is_not_a_plan_is_refused(self, frozen):
        extension, plan = frozen
        plan.write_text('{"schema": "other/1"}')
        refused = extension.run("build", "matrix.yaml", "--plan", str(plan), code=2)
        assert "plan.json" in refused.stderr and "plan --out" in refused.stderr


def test_a_wheel_for_fewer_systems_than_the_last_release_is_a_warning(project):
    script = project("script")
    script.edit(lambda matrix: matrix["axes"].update(flavor=["plain"]))
    first = script.run("release", "matrix.yaml")
    assert "fewer systems" not in first.stderr + first.stdout
    made = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(script.directory / "libword.so.1")]
    subprocess.run(made, input="int word(void) { return 1; }\n", text=True, check=True)
    script.edit(
        lambda matrix: matrix["build"]["command"].extend(["--tag", "py3-none-linux_x86_64", "--file", "{package}/libword.so.1"])
    )
    script.git("tag", "-d", "v1.2.0")
    script.git("tag", "v1.3.0")
    outcomes = script.report("release", "matrix.yaml")
    [warning] = outcomes["publish:index"]["warnings"]
    assert warning.startswith("`script_only-1.3.0+plain-py3-none-") and "is for fewer systems than `script_only-1.2.0" in warning
    assert "`environment.container`" in warning
