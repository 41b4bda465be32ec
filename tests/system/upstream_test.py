"""`plan --upstream` against an index of the tests' own, laid out as PyTorch's."""

import contextlib
import functools
import http.server
import json
import os
import pathlib
import subprocess

import pytest
from loopback import serving

MATRIX = """schema: pinwheel/1
package: {{name: demo, source: .}}
axes:
  python: ["3.11", "3.12"]
  compute: [cpu, cuda/13.0]
  torch: ["2.13", nightly]
abi: {{python: version, torch: minor, compute: exact}}
environment:
  torch:
    spec: {{nightly: "--pre torch", default: "torch~={{torch}}.0"}}
    index: {{nightly: "{url}/whl/nightly/{{label}}", default: "{url}/whl/{{label}}"}}
"""


@contextlib.contextmanager
def index_at(root: pathlib.Path):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with serving(functools.partial(Quiet, directory=root)) as url:
        yield url


def page(directory: pathlib.Path, version: str, labels: list[str], pythons: list[str]) -> None:
    names = [
        f"torch-{version}+{label}-{python}-{python}-manylinux_2_28_x86_64.whl" for label in labels for python in pythons
    ]
    directory = directory / "torch"
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "index.html").open("a") as file:
        file.writelines(f'<a href="/whl/{name.replace("+", "%2B")}">{name}</a>\n' for name in names)


@pytest.fixture
def root(tmp_path) -> pathlib.Path:
    """An index with what the matrix has."""
    root = tmp_path / "index"
    page(root / "whl", "2.13.0", ["cpu", "cu130"], ["cp311", "cp312"])
    page(root / "whl" / "nightly", "2.15.0.dev20261124", ["cpu", "cu130"], ["cp311", "cp312"])
    return root


def upstream(pinwheel, tmp_path, url, *arguments, code=0, **variables):
    (tmp_path / "matrix.yaml").write_text(MATRIX.format(url=url))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")} | variables
    ran = subprocess.run(
        [pinwheel, "plan", "--upstream", "matrix.yaml", *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == code, ran.stderr
    return ran


def without_ends(text: str) -> list[str]:
    """The part of the report that does not depend on the date."""
    return [line for line in text.splitlines() if not line.startswith("ended ")]


def changed(ran) -> list[tuple[str, str, str]]:
    report = json.loads(ran.stdout)
    assert report["schema"] == "pinwheel-upstream/1"
    found = [(each["event"], each["axis"], each["value"]) for each in report["changes"]]
    return [each for each in found if each[0] != "ended"]


def test_an_index_that_has_what_the_axes_have_changes_nothing(pinwheel, tmp_path, root):
    with index_at(root) as url:
        assert changed(upstream(pinwheel, tmp_path, url, "--json")) == []


def test_a_new_release_and_a_new_label_are_reported_with_the_lines_to_change(pinwheel, tmp_path, root):
    page(root / "whl", "2.14.0", ["cpu", "cu130"], ["cp311", "cp312"])
    page(root / "whl" / "nightly", "2.15.0.dev20261124", ["cu134"], ["cp312"])
    with index_at(root) as url:
        report = without_ends(upstream(pinwheel, tmp_path, url).stdout)
        assert any(line.split()[:3] == ["appeared", "torch", "2.14"] for line in report)
        assert any(line.split()[:3] == ["appeared", "compute", "cuda/13.4"] for line in report)
        assert '  matrix.yaml:6: torch: ["2.13", "2.14", nightly]' in report
        assert "  matrix.yaml:5: compute: [cpu, cuda/13.0, cuda/13.4]" in report
        ran = upstream(pinwheel, tmp_path, url, "--json")
        assert ("appeared", "compute", "cuda/13.4") in changed(ran)


def test_a_label_that_vanished_is_reported(pinwheel, tmp_path, root):
    (root / "whl" / "nightly" / "torch" / "index.html").unlink()
    page(root / "whl" / "nightly", "2.15.0.dev20261124", ["cpu"], ["cp311", "cp312"])
    with index_at(root) as url:
        assert changed(upstream(pinwheel, tmp_path, url, "--json")) == [("vanished", "compute", "cuda/13.0")]


def test_where_no_index_has_all_labels_those_of_the_matrix_are_asked(pinwheel, tmp_path, root):
    (root / "whl" / "torch" / "index.html").unlink()
    (root / "whl" / "torch").rmdir()
    page(root / "whl" / "cpu", "2.14.0", ["cpu"], ["cp311", "cp312"])
    page(root / "whl" / "cpu", "2.13.0", ["cpu"], ["cp311", "cp312"])
    page(root / "whl" / "cu130", "2.13.0", ["cu130"], ["cp311", "cp312"])
    with index_at(root) as url:
        assert changed(upstream(pinwheel, tmp_path, url, "--json")) == [("appeared", "torch", "2.14")]


def test_in_github_what_changed_is_a_notice_at_the_axis(pinwheel, tmp_path, root):
    page(root / "whl", "2.14.0", ["cpu", "cu130"], ["cp311", "cp312"])
    with index_at(root) as url:
        report = upstream(pinwheel, tmp_path, url, GITHUB_ACTIONS="true").stderr
        assert "::notice file=matrix.yaml,line=6,col=3,title=upstream%3A torch::appeared `2.14`" in report
        assert "::notice" not in upstream(pinwheel, tmp_path, url).stderr


def test_an_index_that_does_not_answer_is_exit_4(pinwheel, tmp_path):
    with index_at(tmp_path) as url:
        pass
    upstream(pinwheel, tmp_path, url, code=4)


def test_an_index_without_torch_is_exit_2(pinwheel, tmp_path, root):
    with index_at(tmp_path) as url:
        report = upstream(pinwheel, tmp_path, url, code=2).stderr
        assert "has no page for torch" in report


def test_it_goes_with_no_plan(pinwheel, tmp_path):
    report = upstream(pinwheel, tmp_path, "http://127.0.0.1:9", "--format", "ids", code=2).stderr
    assert "`--upstream` reads the matrix file" in report
