"""`package.ignore`: which changes of the source build a wheel again."""


def states(outcomes: dict[str, dict]) -> dict[str, str]:
    """The states of builds, the sdist and tests, by kind."""
    found: dict[str, set[str]] = {}
    for step, outcome in outcomes.items():
        found.setdefault(step.split(":")[0], set()).add(outcome["state"])
    return {kind: "+".join(sorted(states)) for kind, states in found.items() if kind != "env"}


def test_readme_tests_and_documentation_do_not_rebuild_a_wheel(project):
    extension = project("extension")
    (extension.directory / "docs").mkdir()
    (extension.directory / "docs/a.md").write_text("one\n")
    (extension.directory / "README.md").write_text("one\n")
    (extension.directory / "benchmark.py").write_text("one\n")
    extension.commit()
    # The checkout is already changed, so the version stays.
    (extension.directory / "benchmark.py").write_text("two\n")
    assert states(extension.report("test", "matrix.yaml", "--channel", "ci")) == {"build": "done", "sdist": "done", "test": "done"}
    before = extension.wheels()
    for path in ("README.md", "docs/a.md", "tests/check.py"):
        with (extension.directory / path).open("a") as file:
            file.write("\n")
        again = states(extension.report("test", "matrix.yaml", "--channel", "ci"))
        assert again == {"build": "reused", "sdist": "done", "test": "done"}, path
    wheels = [name for name in before if name.endswith(".whl")]
    assert wheels and {name: extension.wheels()[name] for name in wheels} == {name: before[name] for name in wheels}
    # Other files count, unless they are named.
    (extension.directory / "benchmark.py").write_text("three\n")
    assert states(extension.report("test", "matrix.yaml", "--channel", "ci"))["build"] == "done"
    extension.edit(lambda matrix: matrix["package"].update(ignore=["benchmark.*"]))
    (extension.directory / "benchmark.py").write_text("four\n")
    extension.report("test", "matrix.yaml", "--channel", "ci")
    (extension.directory / "benchmark.py").write_text("five\n")
    assert states(extension.report("test", "matrix.yaml", "--channel", "ci"))["build"] == "reused"


def test_a_commit_of_such_files_rebuilds_nothing(project):
    extension = project("extension")
    extension.edit(lambda matrix: matrix["package"].update(version={"from": "file", "file": "VERSION"}))
    (extension.directory / "VERSION").write_text("1.2.0\n")
    (extension.directory / "README.md").write_text("one\n")
    extension.commit()
    assert states(extension.report("build", "matrix.yaml", "--channel", "ci"))["build"] == "done"
    before = extension.wheels()
    (extension.directory / "README.md").write_text("two\n")
    extension.environment = extension.environment | {"GIT_COMMITTER_DATE": "2026-02-03T04:05:06Z"}
    extension.commit()
    assert states(extension.report("build", "matrix.yaml", "--channel", "ci"))["build"] == "reused"
    # The wheel names the commit of its source, so that building it anew makes the same bytes.
    extension.start_afresh()
    again = states(extension.report("build", "matrix.yaml", "--channel", "ci"))
    wheels = [name for name in before if name.endswith(".whl")]
    assert again["build"] == "done" and wheels
    assert {name: extension.wheels()[name] for name in wheels} == {name: before[name] for name in wheels}


def test_a_readme_that_is_in_the_metadata_rebuilds_the_wheel(project):
    extension = project("extension")
    readme = extension.directory / "README.md"
    readme.write_text("one\n")
    pyproject = extension.directory / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("[project]\n", '[project]\nreadme = "README.md"\n'))
    extension.commit()
    extension.report("build", "matrix.yaml", "--channel", "ci")
    readme.write_text("two\n")
    assert states(extension.report("build", "matrix.yaml", "--channel", "ci"))["build"] == "done"


def test_a_file_is_taken_back(project):
    extension = project("extension")
    extension.edit(lambda matrix: matrix["package"].update(ignore=["!tests/"]))
    extension.report("build", "matrix.yaml", "--channel", "ci")
    with (extension.directory / "tests/check.py").open("a") as file:
        file.write("\n")
    assert states(extension.report("build", "matrix.yaml", "--channel", "ci"))["build"] == "done"
