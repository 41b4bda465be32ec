"""A release with several targets: what one of them would reject is found before any of them gets a file."""

import json
import zipfile

import pytest
from conftest import outcomes_of
from indexes import empty_index


@pytest.fixture
def served(tmp_path):
    with empty_index(tmp_path / "packages") as index:
        yield index


def test_nothing_is_sent_if_another_target_limits_sizes(script, served):
    packages, url = served
    index = {"kind": "index", "url": url, "label": "local", "auth": "none"}
    targets = {"wide": index, "wheels": {"kind": "directory", "path": "../wheels", "label": "local"}}
    targets["narrow"] = index | {"size-limit": "100 B"}
    script.edit(lambda matrix: matrix.update(publish=targets, channels={"release": {"publish": list(targets)}}))
    result = script.run("release", "matrix.yaml", "--keep-going", code=5)
    assert "`narrow` would reject files of this release, so nothing was sent to `wide`" in result.stderr
    assert "so nothing was sent to `wheels`" in result.stderr
    assert result.stderr.count("more than the limit of 100\n") >= 2
    assert not list(packages.iterdir())
    assert not (script.directory.parent / "wheels").exists()
    # Alone, each target gets the files.
    script.run("release", "matrix.yaml", "--target", "wide", "--target", "wheels")
    assert len(list(packages.iterdir())) == 2


def test_metadata_that_pypi_rejects_are_found_even_if_a_project_accepts_them(script):
    """PyPI judges each file as it arrives, when earlier ones are published already."""

    def edit(matrix):
        matrix["axes"]["flavor"] = ["plain"]
        matrix["checks"] = {"accept": ["metadata"]}
        matrix["channels"] = {"release": {"publish": ["wheels", "pypi"]}}
        matrix["publish"] = {
            "wheels": {"kind": "directory", "path": "../wheels"},
            "pypi": {"kind": "pypi", "auth": "token"},
        }

    script.edit(edit)
    source = script.directory / "make_wheel.py"
    newer = "Metadata-Version: 2.1\\nLicense-Expression: MIT\\n"
    source.write_text(source.read_text().replace("Metadata-Version: 2.1\\n", newer))
    script.commit()
    script.environment["PINWHEEL_TOKEN_PYPI"] = "pypi-not-used"
    script.run("test", "matrix.yaml")
    result = script.run("release", "matrix.yaml", "--keep-going", code=5)
    assert "`pypi` would reject files of this release, so nothing was sent to `wheels`" in result.stderr
    assert "License-Expression" in result.stderr
    assert not (script.directory.parent / "wheels").exists()


def test_a_build_with_two_names_is_one_binary(script, tmp_path):
    def edit(matrix):
        matrix["axes"]["flavor"] = ["plain"]
        matrix["publish"] = {
            "labeled": {"kind": "directory", "path": "../labeled", "label": "local"},
            "bare": {"kind": "directory", "path": "../bare"},
        }
        matrix["channels"] = {"release": {"publish": ["labeled", "bare"]}}

    script.edit(edit)
    store = ["--store", f"dir:{tmp_path / 'store'}"]
    built = script.report("release", "matrix.yaml", *store)
    (labeled,), (bare,) = (list((script.directory.parent / name).rglob("*.whl")) for name in ("labeled", "bare"))
    assert labeled.name == bare.name.replace("-1.2.0-", "-1.2.0+plain-")
    log = script.run("logs", "build:plain").stdout
    assert f"`{bare.name}` has the code of `{labeled.name}`: " in log
    with zipfile.ZipFile(labeled) as one, zipfile.ZipFile(bare) as other:
        modules = [name for name in one.namelist() if ".dist-info/" not in name]
        assert modules
        assert all(one.read(name) == other.read(name) for name in modules)
    # The report says where each derived wheel comes from and what was changed, also if another run built it.
    info = "script_only-1.2.0.dist-info"
    (derived,) = built["build:plain"]["derivations"]
    assert (derived["file"], derived["source"], derived["code"]) == (bare.name, labeled.name, "identical")
    assert sorted(derived["rewritten"]) == [f"{info}/METADATA", f"{info}/RECORD"]
    assert derived["identical"] >= 2 and derived["added"] == derived["dropped"] == []
    again = script.report("release", "matrix.yaml", *store)["build:plain"]
    assert again["reused_from"] == "journal" and again["derivations"] == [derived]
    script.start_afresh()
    ran = script.run("release", "matrix.yaml", *store, "--json")
    stored = outcomes_of(json.loads(ran.stdout))["build:plain"]
    assert stored["state"] == "reused" and stored["derivations"] == [derived]
    text = script.run("release", "matrix.yaml").stderr
    assert "1 derived file, with the code of its source:" in text
    assert f"build:plain: `{bare.name}` has the code of `{labeled.name}`: " in text


def test_two_targets_do_not_give_one_file_name_to_different_builds(project):
    script = project("script")

    def edit(matrix):
        matrix["axes"] |= {"compute": ["cpu", "cuda/13.0"], "flavor": ["plain"]}
        matrix["abi"] = {"python": "none", "compute": "exact"}
        first = {"kind": "directory", "path": "../first", "default": "cpu", "others": "name-suffix"}
        second = first | {"path": "../second", "default": "cuda/*"}
        matrix["publish"] = {"first": first, "second": second}
        matrix["channels"] = {"release": {"publish": ["first", "second"]}}

    script.edit(edit)
    error = script.run("plan", "matrix.yaml", "--channel", "release", code=2).stderr
    assert "`script_only-1.2.0-py3-none-*_x86_64.whl` would be `build:plain-cpu`" in error
    assert "on target `first` and `build:plain-cu130`" in error and "on target `second`" in error
    assert "hint: write the same `default` in both targets, or give one of them a `name` template of its own" in error
