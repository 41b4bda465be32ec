"""What `plan` and `explain` say a run would do is what the run then does."""


def would(script) -> dict[str, str]:
    """The forecast of `plan` by step: "reuse", "run" or "perhaps"."""
    table = script.run("plan", "matrix.yaml", "--channel", "release").stdout.split("\nstep ")
    assert len(table) == 2, table
    rows = [line.split() for line in table[1].splitlines()[1:] if line]
    # "2 tests  reuse ..." stands for as many steps.
    return {(row[1] if row[0].isdigit() else row[0]): row[2 if row[0].isdigit() else 1] for row in rows[:-1]}


def test_a_forecast_is_what_then_happens(project):
    script = project("script")
    fresh = script.run("plan", "matrix.yaml").stdout
    assert "would" not in fresh
    script.run("release", "matrix.yaml", "--channel", "release")
    assert set(would(script).values()) == {"reuse"}

    explained = script.run("explain", "build:plain", "matrix.yaml", "--channel", "release", CXXFLAGS="-O1").stdout
    assert "build:plain would run: 1 change since" in explained
    assert "variables.CXXFLAGS is new" in explained

    wheel = next(script.output.glob("*plain*.whl"))
    wheel.unlink()
    forecast = would(script)
    assert forecast["build:plain"] == "run"
    assert forecast["test:cp311-plain"] == "perhaps"
    outcomes = script.report("release", "matrix.yaml", "--channel", "release")
    assert outcomes["build:plain"]["state"] == "done"
    # The same bytes again: what was tested before stands.
    tests = [outcome["state"] for step, outcome in outcomes.items() if step.startswith("test:")]
    assert set(tests) == {"reused"}
