"""A family of packages in a bucket: each sub-index lists what its wheels require, and stores nothing twice."""

import json
import os
import subprocess

import pytest
from bucket_index import STATE, bucket_index
from family_test import SDISTS, WHEELS, installed

pytest.importorskip("moto")

SHARED = "fam_data-1.2.0-py3-none-any.whl"


@pytest.fixture(scope="module")
def released(make_project, tmp_path_factory):
    """A release of the family in a bucket; no test changes it."""
    with bucket_index() as index:
        family = make_project("family", tmp_path_factory.mktemp("released") / "project")
        family.edit(lambda matrix: matrix["publish"].update(index=index.target))
        family.run("release", "matrix.yaml", **index.variables)
        yield index


def page(index, place: str) -> dict[str, str]:
    """The links of a page by file."""
    return {file["filename"]: file["url"] for file in json.loads(index.get(f"{place}index.json"))["files"]}


def test_each_file_of_the_family_is_stored_once_and_listed_with_its_digest(released):
    stored = [path.rsplit("/", 1)[1] for path in released.paths() if path.endswith((".whl", ".tar.gz"))]
    assert sorted(stored) == sorted(WHEELS | SDISTS)
    assert set(released.listed()) == WHEELS | SDISTS


@pytest.mark.parametrize("label", ["cpu", "xpu"])
def test_a_sub_index_links_to_the_sibling_of_all_computes_and_has_no_other_label(released, label):
    assert set(page(released, f"{label}/fam-ops/")) >= {f"fam_ops-1.2.0+{label}-py3-none-any.whl"}
    listed = {name for path in ("fam-ops", "fam-core", "fam-data") for name in page(released, f"{label}/{path}/")}
    assert {name for name in listed if "+" in name} == {name for name in WHEELS if f"+{label}-" in name}
    linked = page(released, f"{label}/fam-data/")
    assert list(linked) == [SHARED]
    state = json.loads(released.get(STATE))
    assert SHARED in json.dumps(state)
    home = page(released, "fam-data/")[SHARED]
    assert linked[SHARED].removeprefix("../../../").removeprefix("../../") == home.removeprefix("../")


@pytest.mark.parametrize("installer", ["pip", "uv"])
@pytest.mark.parametrize("label", ["cpu", "xpu"])
def test_installers_find_the_siblings_in_each_sub_index(released, tmp_path, installer, label):
    there = {"fam_ops": f"1.2.0+{label}", "fam_core": f"1.2.0+{label}", "fam_data": "1.2.0"}
    with released.site() as url:
        assert installed(installer, f"{url}{label}/", tmp_path, "fam-ops") == there
        if label == "cpu":
            assert installed(installer, url, tmp_path / "root", "fam-ops") == there


def test_index_check_finds_no_error_on_any_page(released, pinwheel, tmp_path):
    variables = {**os.environ, "NO_COLOR": "1", "PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
    with released.site() as url:
        command = [pinwheel, "index", "check", url, "--sub-index", "cpu", "--sub-index", "xpu", "--json"]
        ran = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    report = json.loads(ran.stdout)
    assert report["findings"] == []
    assert report["hashed"] + report["verified"] == report["files"] >= len(WHEELS | SDISTS)
