"""Pages of a directory index that link to the files of a release on GitHub."""

import functools
import http.server
import json
import os
import shutil
import subprocess

import pytest
from github_release_test import github, release, released  # noqa: F401
from github_server import NAME
from loopback import serving

GITHUB = {"kind": "github-release", "repository": NAME, "label": "local"}
PAGES = {"kind": "directory", "path": "site/whl", "label": "local", "files": "github"}


@pytest.fixture
def linked(released):  # noqa: F811
    """The pages are listed first: but are still made last."""
    publish = {"pages": PAGES, "github": GITHUB}
    released.edit(lambda matrix: matrix.update(publish=publish, channels={"release": {"publish": ["pages", "github"]}}))
    return released


def site(script):
    return script.directory / "site" / "whl"


def release_plan(script, plan, *options, code=0):
    return script.run("release", "--plan", plan, *options, code=code)


def files_in(script):
    return sorted(path.name for path in site(script).rglob("*") if path.is_file())


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


def downloaded(script, tool, place):
    """The file that an installer takes from the pages."""
    with serving(functools.partial(Quiet, directory=str(site(script)))) as url:
        label = min(path.parent.name for path in site(script).glob("*/script-only"))
        where = ["--index-url", f"{url}/{label}/"]
        if tool == "pip":
            command = ["pip", "download", "--no-deps", "--no-cache-dir", "--dest", str(place), *where]
        else:
            command = ["uv", "pip", "install", "--no-deps", "--no-cache", "--target", str(place), *where]
        ran = subprocess.run([*command, "script-only"], env=os.environ | {"PIP_CONFIG_FILE": os.devnull},
                             capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return sorted(path.name for path in place.iterdir())


def test_the_pages_link_to_the_release_and_installers_take_its_files(linked, github, tmp_path):  # noqa: F811
    release(linked)
    assert set(files_in(linked)) == {"index.html", "index.json"}
    pages = [path.read_text() for path in site(linked).rglob("script-only/index.html")]
    assert pages and all(f'href="{github.url}/storage/' in page for page in pages)
    for name, data in github.files("v1.2.0").items():
        assert name.endswith((".json", "SUMS")) or any(f">{name}</a>" in page for page in pages), name
        assert data
    assert any(name.endswith(".whl") for name in downloaded(linked, "pip", tmp_path / "pip"))
    assert any(name.endswith(".dist-info") for name in downloaded(linked, "uv", tmp_path / "uv"))
    check = linked.run("index", "check", str(site(linked)), "--json")
    assert '"findings": []' in check.stdout


def test_again_nothing_changes(linked, github):  # noqa: F811
    release(linked)
    before, done = {path: path.read_bytes() for path in site(linked).rglob("*.json")}, list(github.done)
    linked.start_afresh()
    release(linked)
    assert {path: path.read_bytes() for path in site(linked).rglob("*.json")} == before
    assert github.done == done


def test_without_the_release_there_are_no_pages(linked, github):  # noqa: F811
    github.faults["PATCH "] = [(403, {})] * 9
    release(linked, code=6)
    assert not site(linked).exists()
    github.faults.clear()
    release(linked)
    assert "index.html" in files_in(linked)


def test_the_pages_alone_are_made_from_a_release_that_is_published(linked, github):  # noqa: F811
    error = release(linked, "--target", "pages", code=6).stderr
    assert "`v1.2.0` of `acme/kernels` on `github` is not published" in error and "publish to `github` first" in error
    assert not site(linked).exists()
    release(linked, "--target", "github")
    # Everybody may read a public release.
    release(linked, "--target", "pages")
    assert "index.html" in files_in(linked)
    page = next(site(linked).glob("*/script-only/index.json"))
    for asset in github.releases[0]["assets"]:
        asset["digest"] = "sha256:" + "0" * 64
    shutil.rmtree(site(linked).parent)
    linked.start_afresh()
    assert "lacks some of the files, or has them with other contents" in release(linked, "--target", "pages", code=6).stderr
    assert not page.exists()


def test_a_frozen_plan_publishes_no_other_target_than_the_named_one(linked, github, tmp_path):  # noqa: F811
    plan = str(tmp_path / "plan.json")
    linked.run("plan", "matrix.yaml", "--channel", "release", "--out", plan)
    error = release_plan(linked, plan, "--target", "pages", code=6).stderr
    assert "publish to `github` first" in error and github.done == []
    release_plan(linked, plan, "--target", "github")
    done = list(github.done)
    release_plan(linked, plan, "--target", "pages")
    assert "index.html" in files_in(linked) and github.done == done


def test_a_copy_of_the_pages_becomes_an_index_again(linked, github, tmp_path):  # noqa: F811
    """As in a job that starts with a checkout of the branch that GitHub Pages serves."""
    release(linked)
    shutil.copytree(site(linked), tmp_path / "copy")
    shutil.rmtree(site(linked).parent)
    shutil.copytree(tmp_path / "copy", site(linked))
    linked.start_afresh()
    linked.git("tag", "-d", "v1.2.0")
    linked.git("tag", "v1.3.0")
    release(linked)
    page = json.loads(next(site(linked).glob("*/script-only/index.json")).read_text())
    assert {version.partition("+")[0] for version in page["versions"]} == {"1.2.0", "1.3.0"}
    assert site(linked).is_symlink()
