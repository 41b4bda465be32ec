"""`pinwheel ci`: generated workflows pass the linters, over matrices of every size and option."""

import itertools
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

SETS = ("ci", "nightly", "release")
ACTION = Path(".github/actions/pinwheel/action.yml")


def matrix(**sections):
    """A matrix with the three channels, and with what a test adds."""
    made = {
        "schema": "pinwheel/1",
        "package": {"name": "demo", "source": ".."},
        "axes": {"python": ["3.11", "3.12"], "compute": ["cpu"]},
        "publish": {
            "testpypi": {"kind": "testpypi", "default": "cpu", "others": "name-suffix"},
            "pypi": {"kind": "pypi", "default": "cpu", "others": "name-suffix"},
            "wheels": {"kind": "directory", "path": "../dist/index", "label": "local"},
        },
        "channels": {
            "ci": {"publish": []},
            "nightly": {"version": "nightly", "publish": ["testpypi"]},
            "release": {"publish": ["pypi", "testpypi", "wheels"]},
        },
    }
    return made | sections


def axes(pythons, flavors):
    """`pythons` x `flavors` builds."""
    return {"python": [f"3.{minor}" for minor in range(9, 9 + pythons)],
            "compute": ["cpu"], "flavor": [f"f{number}" for number in range(flavors)]}


def varied():
    """40 matrices: 1 to 1,000 builds, and every option of `ci`."""
    sizes = [(1, 1), (2, 1), (4, 4), (5, 60), (5, 200)]
    options = [
        {},
        {"on": {"paths": ["src/**", "it's: odd"], "nightly": "5 4 * * 1", "tags": ["v*", "rel-*"]}},
        {"concurrency": "queue", "timeout": "90 min", "retention": "3 d",
         "container": {"image": "debian:12", "prepare": "apt-get update && apt-get install -y 'git'"}},
        {"forks": "build"},
        {"environments": {"pypi": "release", "testpypi": "try", "wheels": "disk"}},
        {"runners": {"build": "big", "test": {"default": "ubuntu-24.04", "@x86_64": ["self-hosted", "lab"]}},
         "driver": {"cpu": "sudo get-driver 'it'"}},
        {"store": "dir:/mnt/it's: some #1", "on": {"keys": True}},
        {"store": "https://cache.example.org/x", "forks": "build", "concurrency": "cancel"},
    ]
    for (pythons, flavors), settings in itertools.product(sizes, options):
        sections = {"axes": axes(pythons, flavors)}
        if settings:
            sections["ci"] = settings
        if "forks" in settings:
            sections["environment"] = {"secrets": ["LICENSE_TOKEN"]}
        if "timeout" in settings or "store" in settings:
            # Chains of four jobs of 90 minutes, and of two jobs of six hours.
            limit = "4 h" if "timeout" in settings else "9 h"
            sections["build"] = {"timeout": limit, "checkpoint": {"before": "20 min"}}
        yield matrix(**sections)


def make_repository(root):
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run(["git", "-C", root, "-c", "user.name=t", "-c", "user.email=t@example.org",
                    "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    (root / "matrix").mkdir()


@pytest.fixture
def repository(pinwheel, tmp_path):
    """A function that writes a matrix into a repository and runs pinwheel there."""
    make_repository(tmp_path)

    def run(made, *arguments, code=0):
        if made is not None:
            (tmp_path / "matrix" / "demo.yaml").write_text(yaml.safe_dump(made, sort_keys=False))
        ran = subprocess.run([pinwheel, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert code is None or ran.returncode == code, ran.stdout + ran.stderr
        return ran

    run.root = tmp_path
    run.program = pinwheel
    return run


def words_of(args):
    """The arguments that a step gives pinwheel, with the plan in the working directory here."""
    return shlex.split(args.replace("${{ runner.temp }}/pinwheel-run/plan.json", "plan.json"))


def program(name):
    return str(Path(sys.executable).with_name(name))


def linted(command, files):
    ran = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def generated(pinwheel, tmp_path_factory):
    """The workflows of all of `varied`, and one action, in one directory."""
    root = tmp_path_factory.mktemp("workflows")
    make_repository(root)
    kept = []
    for number, made in enumerate(varied()):
        (root / "matrix" / "demo.yaml").write_text(yaml.safe_dump(made, sort_keys=False))
        ran = subprocess.run([pinwheel, "ci", "generate"], cwd=root, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stderr
        for name in SETS:
            copy = root / ".github" / "workflows" / f"{name}-{number}.yml"
            shutil.move(root / ".github" / "workflows" / f"pinwheel-{name}.yml", copy)
            kept.append(copy)
    assert len(kept) == 40 * len(SETS)
    return kept


def test_actionlint_finds_nothing(generated):
    linted([program("actionlint"), "-no-color", "-shellcheck=", "-pyflakes="], generated)


def test_zizmor_finds_nothing(generated):
    # Four sizes differ only in repeated jobs. The auditor persona includes all findings of the pedantic one.
    linted([program("zizmor"), "--offline", "--persona", "auditor", "--format", "plain"],
           [*generated[:24], generated[0].parents[2] / ACTION])


def test_they_match_the_schema_of_github(generated):
    linted([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"], generated)
    linted([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions"],
           [generated[0].parents[2] / ACTION])


def test_actionlint_finds_a_job_that_needs_an_unknown_job(generated, tmp_path):
    broken = tmp_path / ".github" / "workflows" / "broken.yml"
    broken.parent.mkdir(parents=True)
    broken.write_text(generated[0].read_text().replace("needs: [plan]", "needs: [nobody]", 1))
    with pytest.raises(AssertionError, match="nobody"):
        linted([program("actionlint"), "-no-color", "-shellcheck=", "-pyflakes="], [broken])


def test_jobs_have_as_many_rows_as_github_takes(generated):
    jobs = yaml.safe_load(generated[-3].read_text())["jobs"]  # 1,000 builds and tests
    chunks = ["build", "build-2", "build-3", "build-4"]
    assert [name for name in jobs if name.startswith("build") and "-then-" not in name] == chunks
    assert {f"{name}-then-2" for name in chunks} == {name for name in jobs if "-then-" in name}
    assert [name for name in jobs if name.startswith("test")] == ["test", "test-2", "test-3", "test-4"]


def test_tests_that_no_runner_is_named_for_are_in_no_chunk(repository):
    flavors = [f"f{number}" for number in range(150)]
    made = matrix(axes={"python": ["3.11"], "compute": ["cpu", "cuda/13.0"], "flavor": flavors},
                  test={"hardware": {"cuda/*": "gpu", "default": "none"}})
    repository(made, "ci", "generate", "--set", "ci")
    asked = [step["with"]["args"] for job in jobs_of(repository, "ci").values() for step in job["steps"]
             if "--chunk" in step.get("with", {}).get("args", "")]
    asked.sort()
    assert [args.partition("--stage ")[2] for args in asked] == [
        "build --chunk 1/2", "build --chunk 2/2", "test --chunk 1/1"]
    repository(None, "plan", "--channel", "ci", "--out", "plan.json")
    chunks = [json.loads(repository(None, *words_of(args)).stdout) for args in asked]
    assert [len(chunk["include"]) for chunk in chunks] == [256, 44, 150]
    # For a plan with fewer rows; a plan with more rows is rejected.
    rows = ["plan", "--plan", "plan.json", "--format", "github", "--stage"]
    assert json.loads(repository(None, *rows, "test", "--chunk", "2/2").stdout)["include"] == []
    ran = repository(None, *rows, "build", "--chunk", "1/1", code=2)
    assert "the rows have 2 chunks, and only 1 is requested" in ran.stderr and "`pinwheel ci generate`" in ran.stderr


def test_the_outputs_of_each_job_are_fewer_than_github_takes(repository):
    made = matrix(axes={"python": ["3.10", "3.11", "3.12", "3.13"], "compute": ["cpu", "cuda/13.0"],
                        "flavor": [f"f{number}" for number in range(125)]})
    repository(made, "ci", "generate", "--set", "ci")
    repository(None, "plan", "--channel", "ci", "--out", "plan.json")
    listed = []
    for job in jobs_of(repository, "ci").values():
        texts = [repository(None, *words_of(step["with"]["args"])).stdout for step in job["steps"]
                 if "--chunk" in step.get("with", {}).get("args", "")]
        assert len("".join(texts).encode("utf-16-le")) < 900_000
        assert sorted(job.get("outputs", {})) == sorted(step["id"] for step in job["steps"] if "-" in step.get("id", ""))
        listed += [row["step"] for text in texts for row in json.loads(text)["include"]]
    assert len(listed) == len(set(listed)) == 2000


def test_artifacts_are_retained_as_long_as_the_matrix_sets(generated):
    kept = [path.read_text().count("retention-days: 3\n") for path in generated[6:9]]  # the third of the options
    # Each of the four jobs of a chain uploads its result, for a pull request its wheels, and always its checkpoint.
    assert kept == [5 + 3 * 2 + 4, 3 + 3 + 4, 4]


def test_a_person_s_lines_survive_and_a_stale_file_is_shown(repository):
    repository(matrix(), "ci", "generate")
    repository(None, "ci", "check")
    workflow = repository.root / ".github" / "workflows" / "pinwheel-ci.yml"
    mine = "      - run: echo mine\n"
    place = "      # pinwheel: keep before-build\n"
    text = workflow.read_text()
    assert place in text
    workflow.write_text(text.replace(place, place + mine))
    repository(None, "ci", "check")
    ran = repository(matrix(ci={"timeout": "1 h"}), "ci", "check", code=7)
    assert "-    timeout-minutes: ${{ matrix.limit || 360 }}\n+    timeout-minutes: ${{ matrix.limit || 60 }}\n" in ran.stdout
    assert "hint: run `pinwheel ci generate matrix/demo.yaml`" in ran.stderr
    ran = repository(None, "ci", "generate", "--json")
    states = {Path(file["path"]).name: file["state"] for file in json.loads(ran.stdout)["files"]}
    assert states == {"pinwheel-ci.yml": "changed", "pinwheel-nightly.yml": "changed",
                      "pinwheel-release.yml": "changed", "action.yml": "unchanged"}
    assert place + mine in workflow.read_text()


def test_lines_whose_place_is_gone_stop_before_anything_is_written(repository):
    repository(matrix(), "ci", "generate")
    workflow = repository.root / ".github" / "workflows" / "pinwheel-release.yml"
    workflow.write_text(workflow.read_text() + "# pinwheel: keep gone\n# mine\n# pinwheel: end\n")
    before = {path: path.read_text() for path in (repository.root / ".github").rglob("*.yml")}
    ran = repository(matrix(ci={"timeout": "1 h"}), "ci", "generate", code=2)
    assert "the generated file has no place for `gone`" in ran.stderr
    assert "pinwheel-release.yml" in ran.stderr
    assert before == {path: path.read_text() for path in (repository.root / ".github").rglob("*.yml")}


def test_a_directory_may_be_written_in_any_way(repository):
    repository(matrix(), "ci", "generate", "--out", ".github/workflows/")
    before = {path: path.read_text() for path in (repository.root / ".github").rglob("*.yml")}
    assert repository.root / ACTION in before
    for out in (".github/workflows", ".github/workflows/", "./matrix/../.github/workflows/."):
        repository(None, "ci", "check", "--out", out)
    repository(None, "ci", "check")
    inside = repository.root / ".github" / "workflows"
    for out in (".", "./", "../workflows"):
        ran = subprocess.run([repository.program, "ci", "generate", "../../matrix/demo.yaml", "--out", out],
                             cwd=inside, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stderr
    assert before == {path: path.read_text() for path in (repository.root / ".github").rglob("*.yml")}


def test_a_night_is_remembered_where_the_next_one_looks(repository):
    container = {"image": "debian:12", "prepare": "apt-get install -y git"}
    repository(matrix(ci={"container": container}), "ci", "generate")
    places = {}
    for job in jobs_of(repository, "nightly").values():
        for step in job["steps"]:
            if (used := step.get("uses", "").partition("@")[0]).startswith("actions/cache/"):
                places[used] = (job["container"], job["steps"][0]["run"], step["with"]["path"])
    assert places == dict.fromkeys(("actions/cache/restore", "actions/cache/save"),
                                   ("debian:12", "apt-get install -y git",
                                        "${{ runner.temp }}/pinwheel-run/last-night.txt"))


def states(ran):
    return {Path(file["path"]).name: file["state"] for file in json.loads(ran.stdout)["files"]}


def test_files_that_the_matrix_gives_no_more_are_found_and_removed(repository):
    workflows = repository.root / ".github" / "workflows"
    repository(matrix(), "ci", "generate")
    (workflows / "mine.yml").write_text("name: mine\non: push\n")
    small = matrix(channels={"ci": {"publish": []}})
    ran = repository(small, "ci", "check", code=7)
    assert "pinwheel-nightly.yml" in ran.stderr and "pinwheel-release.yml` are not what" in ran.stderr
    assert "-name: pinwheel-release\n" in ran.stdout
    assert states(repository(None, "ci", "generate", "--json")) == {
        "pinwheel-ci.yml": "unchanged", "pinwheel-nightly.yml": "removed", "pinwheel-release.yml": "removed",
        "action.yml": "unchanged"}
    assert sorted(path.name for path in workflows.iterdir()) == ["mine.yml", "pinwheel-ci.yml"]
    repository(None, "ci", "check")
    # Under another name the old files would answer the same events; of one set as of all.
    named = matrix(ci={"name": "ops"})
    repository(named, "ci", "check", "--set", "nightly", code=7)
    repository(None, "ci", "generate")
    assert sorted(path.name for path in workflows.iterdir()) == [
        "mine.yml", "pinwheel-ops-ci.yml", "pinwheel-ops-nightly.yml", "pinwheel-ops-release.yml"]
    repository(None, "ci", "check", "--set", "nightly")


def test_a_file_with_a_person_s_lines_is_not_removed(repository):
    repository(matrix(), "ci", "generate")
    workflow = repository.root / ".github" / "workflows" / "pinwheel-nightly.yml"
    place = "      # pinwheel: keep before-build\n"
    workflow.write_text(workflow.read_text().replace(place, place + "      - run: echo mine\n"))
    ran = repository(matrix(channels={"ci": {}, "release": {"publish": ["wheels"]}}), "ci", "generate", code=2)
    assert "the matrix no longer generates this file, and `before-build` has lines" in ran.stderr
    assert "pinwheel-nightly.yml:" in ran.stderr
    assert "echo mine" in workflow.read_text()


def test_a_file_that_a_person_wrote_is_not_replaced(repository):
    for path in (Path(".github/workflows/pinwheel-ci.yml"), ACTION):
        file = repository.root / path
        file.parent.mkdir(parents=True)
        file.write_text("name: mine\n")
        for command in ("generate", "check"):
            ran = repository(matrix(), "ci", command, code=2)
            assert f"{path}` was not written by `pinwheel ci generate`" in ran.stderr
        assert file.read_text() == "name: mine\n"
        assert not (repository.root / ".github/workflows/pinwheel-nightly.yml").exists()
        file.unlink()
        file.parent.rmdir()


def test_one_set_is_written_alone_and_needs_its_channel(repository):
    ran = repository(matrix(channels={"ci": {"publish": []}}), "ci", "generate", "--set", "release", code=2)
    assert "declares no channel `release`" in ran.stderr
    repository(matrix(), "ci", "generate", "--set", "release")
    assert [path.name for path in (repository.root / ".github/workflows").iterdir()] == ["pinwheel-release.yml"]


def test_two_matrices_of_one_repository_keep_their_files_apart(repository):
    repository(matrix(), "ci", "generate")
    workflows = repository.root / ".github" / "workflows"
    first = {path.name: path.read_text() for path in workflows.iterdir()}
    other = repository.root / "matrix" / "other.yaml"
    other.write_text(yaml.safe_dump(matrix()))
    refused = repository(None, "ci", "generate", "matrix/other.yaml", code=2)
    assert "was written from `matrix/demo.yaml`, not from `matrix/other.yaml`" in refused.stderr
    assert "`ci: {name: NAME}`" in refused.stderr
    other.write_text(yaml.safe_dump(matrix(ci={"name": "other"})))
    repository(None, "ci", "generate", "matrix/other.yaml")
    assert sorted(path.name for path in workflows.iterdir()) == sorted(
        [*first, *(f"pinwheel-other-{name}.yml" for name in SETS)])
    assert {name: (workflows / name).read_text() for name in first} == first
    repository(None, "ci", "check", "matrix/other.yaml")
    repository(None, "ci", "check", "matrix/demo.yaml")
    names = [yaml.safe_load(path.read_text())["name"] for path in workflows.iterdir()]
    assert len(set(names)) == 6


def test_secrets_of_the_matrix_reach_builds_and_tests_alone(repository):
    repository(matrix(environment={"secrets": ["LICENSE_TOKEN"]}), "ci", "generate")
    jobs = yaml.safe_load((repository.root / ".github/workflows/pinwheel-release.yml").read_text())["jobs"]
    given = {name: [step["env"] for step in job["steps"] if "LICENSE_TOKEN" in step.get("env", {})]
             for name, job in jobs.items()}
    secret = {"LICENSE_TOKEN": "${{ contains(matrix.secrets, 'LICENSE_TOKEN') && secrets.LICENSE_TOKEN || '' }}"}
    assert {name: envs for name, envs in given.items() if envs} == {"build": [secret], "test": [secret]}


def jobs_of(repository, name):
    return yaml.safe_load((repository.root / f".github/workflows/pinwheel-{name}.yml").read_text())["jobs"]


def test_values_of_the_matrix_survive_yaml_whatever_they_hold(repository):
    repository(matrix(ci={"store": "dir:/mnt/a: b #c", "environments": {"pypi": "1.10", "testpypi": "null"}}),
               "ci", "generate")
    jobs = jobs_of(repository, "release")
    assert (jobs["publish-pypi"]["environment"], jobs["publish-testpypi"]["environment"]) == ("1.10", "null")
    ends = {name: [step["with"]["args"].rpartition("--store ")[2] for step in job["steps"]
                   if "--store" in step.get("with", {}).get("args", "")] for name, job in jobs.items()}
    assert {name: end for name, end in ends.items() if end} == {
        name: ["'dir:/mnt/a: b #c'"] for name in jobs if name != "plan"}


def test_a_store_that_no_command_would_take_is_an_error_at_its_line(repository):
    for store, why in (("s3://bucket/some prefix", "it has a blank"), ("ftp://host/x", "its kind is not known")):
        ran = repository(matrix(ci={"store": store}), "ci", "generate", code=2)
        assert f"`{store}` is not a place for results: {why}" in ran.stderr
        assert "matrix/demo.yaml:" in ran.stderr and "hint: a place is `local`" in ran.stderr


def test_pins_that_are_behind_a_list_of_releases_are_reported(repository):
    repository(matrix(), "ci", "generate")
    text = (repository.root / ".github" / "workflows" / "pinwheel-ci.yml").read_text()
    action, commit, version = re.search(r"uses: (actions/checkout)@([0-9a-f]{40}) # (v\S+)", text).groups()
    releases = repository.root / "releases.txt"
    releases.write_text(f"{action} {version} {commit}\n")
    assert repository(None, "ci", "check", "--updates", "releases.txt").stderr == ""
    releases.write_text(f"{action} v99.0.0 {'a' * 40}\n")
    ran = repository(None, "ci", "check", "--updates", "releases.txt")
    assert f"`{action}` is pinned to {version}, and `v99.0.0` is there" in ran.stderr
    releases.write_text(f"{action} v99.0.0\n")
    assert "releases.txt:1" in repository(None, "ci", "check", "--updates", "releases.txt", code=2).stderr
