"""The site of docs/ builds, and a link that leads nowhere is an error."""

import importlib.machinery
import importlib.util
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def docs():
    loader = importlib.machinery.SourceFileLoader("docs", str(ROOT / "scripts" / "docs"))
    spec = importlib.util.spec_from_loader("docs", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "docs_hook.py", tmp_path / "scripts")
    return tmp_path


def test_the_site_of_this_checkout_has_every_page(docs, checkout):
    assert docs.build(checkout, checkout / "site") == 0
    pages = {page.stem for page in (checkout / "docs").glob("*.md")}
    assert {page.stem for page in (checkout / "site").glob("*.html")} == pages | {"404"}
    assert "<code>--color {always|auto|never}</code>" in (checkout / "site" / "cli.html").read_text()


@pytest.mark.parametrize("text", ["[a](nowhere.md)", "[a](cli.md#nowhere)", "[a](#nowhere)", "[a](../README.md)"])
def test_a_link_that_leads_nowhere_is_an_error(docs, checkout, text):
    with (checkout / "docs" / "glossary.md").open("a") as page:
        page.write(f"\n{text}\n")
    assert docs.build(checkout, checkout / "site") != 0


def test_a_page_that_the_site_does_not_list_is_an_error(docs, checkout):
    (checkout / "docs" / "more.md").write_text("# More\n")
    assert docs.build(checkout, checkout / "site") != 0


def test_an_option_is_refused(docs):
    assert docs.main(["--strict"]) == 2
