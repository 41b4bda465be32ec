"""A release with several targets: what one of them would reject is found before any of them gets a file."""

import zipfile

import pytest
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


def test_a_build_with_two_names_is_one_binary(script):
    def edit(matrix):
        matrix["axes"]["flavor"] = ["plain"]
        matrix["publish"] = {
            "labeled": {"kind": "directory", "path": "../labeled", "label": "local"},
            "bare": {"kind": "directory", "path": "../bare"},
        }
        matrix["channels"] = {"release": {"publish": ["labeled", "bare"]}}

    script.edit(edit)
    script.run("release", "matrix.yaml")
    (labeled,), (bare,) = (list((script.directory.parent / name).rglob("*.whl")) for name in ("labeled", "bare"))
    assert labeled.name == bare.name.replace("-1.2.0-", "-1.2.0+plain-")
    log = script.run("logs", "build:plain").stdout
    assert f"`{bare.name}` has the code of `{labeled.name}`: " in log
    with zipfile.ZipFile(labeled) as one, zipfile.ZipFile(bare) as other:
        modules = [name for name in one.namelist() if ".dist-info/" not in name]
        assert modules
        assert all(one.read(name) == other.read(name) for name in modules)
