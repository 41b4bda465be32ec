"""A family of packages, which require the exact version of each other: `fam-ops` requires `fam-core` and `fam-data`,
and `fam-core` requires `fam-data`. pypiserver or a directory has them, and pip and uv install them."""

import email
import os
import shutil
import subprocess
import sys
import zipfile

import pytest
from act_workflows import Workflows
from indexes import fake_index, log_of, names_of, real_index

WHEELS = {
    "fam_ops-1.2.0+cpu-py3-none-any.whl",
    "fam_ops-1.2.0+xpu-py3-none-any.whl",
    "fam_core-1.2.0+cpu-py3-none-any.whl",
    "fam_core-1.2.0+xpu-py3-none-any.whl",
    "fam_data-1.2.0-py3-none-any.whl",
}
SDISTS = {"fam_ops-1.2.0.tar.gz", "fam_core-1.2.0.tar.gz"}


@pytest.fixture
def family(project):
    return project("family")


@pytest.fixture(scope="module")
def released(make_project, tmp_path_factory):
    """A release of the family in a directory index; no test changes it."""
    family = make_project("family", tmp_path_factory.mktemp("released") / "project")
    family.run("release", "matrix.yaml")
    return family


def requirements_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])


def installed(installer, index, place, *requirements):
    """What an installer installs from an index that has nothing else: {distribution: version}."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    uv = [sys.executable, "-m", "uv", "--no-config", "--no-cache", "pip", "install", "--python", sys.executable]
    site = place / installer
    command = [*(pip if installer == "pip" else uv), "--index-url", index, "--target", str(site), *requirements]
    environment = {**os.environ, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "0"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    infos = [path.name.removesuffix(".dist-info") for path in site.glob("*.dist-info")]
    return dict(name.split("-") for name in infos)


def steps_of(report, kind):
    return {step for step in report if step.startswith(kind)}


@pytest.mark.takes(60)
def test_each_wheel_requires_the_exact_version_of_its_siblings(released):
    files = {path.name: path for path in released.index.rglob("*") if path.name in WHEELS | SDISTS}
    assert set(files) == WHEELS | SDISTS
    assert requirements_of(files["fam_ops-1.2.0+xpu-py3-none-any.whl"]) == [
        "fam-core==1.2.0+xpu",
        'fam-data[all]==1.2.0; python_version >= "3.8"',
    ]
    assert requirements_of(files["fam_core-1.2.0+cpu-py3-none-any.whl"]) == ["fam-data==1.2.0"]
    assert requirements_of(files["fam_data-1.2.0-py3-none-any.whl"]) == []


@pytest.mark.parametrize("installer", ["pip", "uv"])
@pytest.mark.parametrize("label", ["cpu", "xpu"])
def test_the_root_and_each_sub_index_have_everything_that_their_wheels_require(released, tmp_path, installer, label):
    there = {"fam_ops": f"1.2.0+{label}", "fam_core": f"1.2.0+{label}", "fam_data": "1.2.0"}
    index = released.index.as_uri()
    assert installed(installer, f"{index}/{label}/", tmp_path, "fam-ops") == there
    if label == "cpu":
        assert installed(installer, f"{index}/", tmp_path / "root", "fam-ops") == there


@pytest.mark.takes(30)
def test_a_selection_also_builds_what_it_requires_and_tests_only_itself(family):
    report = family.report("test", "matrix.yaml", "-s", "package=fam-core", "-s", "compute=cpu")
    assert steps_of(report, "build") == {"build:fam-core-cpu", "build:fam-data"}
    assert steps_of(report, "test") == {"test:fam-core-cp311-cpu"}


@pytest.mark.takes(40)
def test_uploads_start_with_the_wheels_that_others_require_and_sdists_are_last(family):
    with fake_index() as url:
        family.edit(lambda matrix: matrix["publish"].update(index={"kind": "index", "url": f"{url}/", "label": "local"}))
        family.run("release", "matrix.yaml", PINWHEEL_TOKEN_INDEX="token-0123456789")
        names = names_of(log_of(url))
    assert set(names) == WHEELS | SDISTS
    order = [name.partition("-")[0] for name in names if name.endswith(".whl")]
    assert order == ["fam_data", "fam_core", "fam_core", "fam_ops", "fam_ops"]
    assert names[len(WHEELS) :] == [name for name in names if name in SDISTS]


@pytest.mark.takes(30)
def test_nothing_is_published_if_the_test_of_one_package_fails(family):
    (family.directory / "core" / "fam_core.py").write_text("import fam_data\n\nraise RuntimeError('broken')\n")
    family.commit()
    ran = family.run("release", "matrix.yaml", code=1)
    assert "broken" in ran.stdout + ran.stderr
    assert not family.index.exists()


def test_a_requirement_that_excludes_the_sibling_fails_the_build(family):
    project = family.directory / "ops" / "pyproject.toml"
    project.write_text(project.read_text().replace('"fam-core"', '"fam-core<1"'))
    family.commit()
    ran = family.run("build", "matrix.yaml", "-s", "package=fam-ops", "-s", "compute=cpu", code=5)
    assert "fam-core<1" in ran.stderr and "fam-core==1.2.0+cpu" in ran.stderr


def test_every_package_has_the_version_of_the_release(family):
    project = family.directory / "data" / "pyproject.toml"
    project.write_text(project.read_text().replace("1.2.0", "1.3.0"))
    family.commit()
    ran = family.run("release", "matrix.yaml", code=2)
    assert "data/pyproject.toml" in ran.stderr and "1.3.0" in ran.stderr and "1.2.0" in ran.stderr
    assert not family.output.exists()


@pytest.mark.takes(60)
def test_a_family_is_promoted_after_it_was_installed_from_the_first_index(family, tmp_path):
    first, last = tmp_path / "first", tmp_path / "last"
    for place in (first, last):
        place.mkdir()
    with real_index(first) as trial, real_index(last) as own:

        def change(matrix):
            index = {"kind": "index", "label": "local", "auth": "none"}
            matrix["publish"] |= {"trial": index | {"url": f"{trial}/"}, "own": index | {"url": f"{own}/"}}
            matrix["channels"]["release"] = {"publish": ["own"], "through": "trial"}

        family.edit(change)
        report = family.report("release", "matrix.yaml", "--channel", "release")
        # A second release has nothing to do.
        again = family.report("release", "matrix.yaml", "--channel", "release")
    assert len(steps_of(report, "install")) == 6
    assert {path.name for path in last.iterdir()} == {path.name for path in first.iterdir()} == WHEELS | SDISTS
    assert {step["state"] for step in again.values()} == {"reused"}


@pytest.mark.workflows
@pytest.mark.takes(120)
def test_the_jobs_of_a_workflow_pass_all_wheels_that_a_test_installs(family, tmp_path):
    workflows = Workflows(family, tmp_path / "act")
    ran = workflows.run("release", "push")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    row = next(row for row in workflows.rows("test") if row["step"] == "test:fam-ops-cp311-cpu")
    assert row["from"] == "{build-fam-ops-cpu,build-fam-data,build-fam-core-cpu}"
    (index,) = workflows.indexes()
    assert {path.name for path in index.rglob("*") if path.name in WHEELS | SDISTS} == WHEELS | SDISTS


def test_a_member_without_its_directory_is_named(family):
    shutil.rmtree(family.directory / "data")
    ran = family.run("plan", "matrix.yaml", code=2)
    assert "`source` is `data`" in ran.stderr and "does not exist" in ran.stderr
