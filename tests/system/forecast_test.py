"""A run does what `plan` and `explain` forecast."""

import json
import os


def would(script) -> dict[str, str]:
    """The forecast of `plan` by step: "reuse", "run" or "perhaps"."""
    paragraphs = script.run("plan", "matrix.yaml", "--channel", "release").stdout.split("\n\n")
    table = next(text for text in paragraphs if text.startswith("step "))
    rows = [line.split() for line in table.splitlines()[1:]]
    # "2 tests  reuse ..." stands for as many steps.
    return {(row[1] if row[0].isdigit() else row[0]): row[2 if row[0].isdigit() else 1] for row in rows}


def test_a_run_does_what_was_forecast(project):
    script = project("script")
    fresh = script.run("plan", "matrix.yaml").stdout
    assert "would" not in fresh
    assert "\nsteps " in fresh and "guessed from architectures and sources; nothing like it ran here\n" in fresh
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
    # The same bytes again: earlier tests remain valid.
    tests = [outcome["state"] for step, outcome in outcomes.items() if step.startswith("test:")]
    assert set(tests) == {"reused"}


def forecast(script, **environment: str) -> dict:
    """The forecast of `plan --format json`."""
    plan = script.run("plan", "matrix.yaml", "--channel", "release", "--format", "json", **environment)
    return json.loads(plan.stdout)["forecast"]


def test_a_second_plan_predicts_the_duration_of_a_run_from_the_first(project):
    script = project("script")
    guessed = forecast(script)["steps"]
    assert {step["from"] for step in guessed} == {"guessed"} and {step["p90"] for step in guessed} == {None}
    assert not any("would" in step for step in guessed)
    outcomes = script.report("release", "matrix.yaml", "--channel", "release")

    reused = forecast(script)
    assert reused["seconds"] == 0
    assert reused["cores"] == len(os.sched_getaffinity(0))
    steps = {step["id"]: step for step in reused["steps"]}
    assert steps.keys() == outcomes.keys()
    for step, outcome in outcomes.items():
        assert steps[step]["seconds"] == outcome["elapsed_ms"] / 1000, step
        assert (steps[step]["would"], steps[step]["from"]) == ("reuse", "measured")
        assert (steps[step]["p90"], steps[step]["runs"]) == (steps[step]["seconds"], 1)

    # Other flags: all builds run again, and each wheel may change.
    afresh = forecast(script, CXXFLAGS="-O1")
    runs = [step for step in afresh["steps"] if step["would"] != "reuse"]
    assert {step["id"] for step in runs} >= {step for step in outcomes if step.startswith("build:")}
    longest = max(step["seconds"] for step in runs)
    assert longest <= afresh["seconds"] <= sum(step["seconds"] for step in runs) + 0.001 * len(runs)

    printed = script.run("plan", "matrix.yaml", "--channel", "release", CXXFLAGS="-O1").stdout
    assert "step " in printed and " p50 " in printed and " p90 " in printed
    assert f" core{'s' if reused['cores'] > 1 else ''}, estimated from earlier runs\n" in printed


def test_a_plan_predicts_its_duration_with_any_number_of_slots(project, tmp_path):
    script = project("script")
    frozen = tmp_path / "plan.json"
    script.run("plan", "matrix.yaml", "--channel", "release", "--out", str(frozen))
    for source in (("matrix.yaml", "--channel", "release"), ("--plan", str(frozen))):
        ran = (script.run("plan", *source, "--json", "--slots", slots).stdout for slots in ("1", "99"))
        one, many = (json.loads(text)["forecast"] for text in ran)
        assert (one["slots"], many["slots"]) == (1, 99)
        assert one["seconds"] == one["bound"] == one["work"]
        assert many["seconds"] == many["bound"] == many["critical-path"]["seconds"]
        seconds = {step["id"]: step["seconds"] for step in many["steps"]}
        assert sum(seconds[step] for step in many["critical-path"]["steps"]) == many["critical-path"]["seconds"]
        assert one["seconds"] == sum(seconds.values())
    text = script.run("plan", "matrix.yaml", "--slots", "3").stdout
    assert " with 3 slots, guessed from " in text and "\ncritical path: env:" in text
    assert "--slots" in script.run("plan", "matrix.yaml", "--slots", "3", "--format", "ids", code=2).stderr


def test_jobs_have_limits_of_their_own_once_their_steps_have_run(project, tmp_path):
    script = project("script")
    plan = tmp_path / "plan.json"
    script.run("plan", "matrix.yaml", "--channel", "release", "--out", str(plan))

    def limits(stage: str) -> dict[str, tuple]:
        ran = script.run("plan", "--plan", str(plan), "--format", "github", "--stage", stage)
        return {row["step"]: (row["minutes"], row.get("limit")) for row in json.loads(ran.stdout)["include"]}

    assert {limit for _, limit in limits("build").values()} == {None}
    script.run("build", "matrix.yaml", "--channel", "release", "--select", "flavor=plain")
    assert limits("build") == {"build:plain": (1, 33), "build:loud": (1, None)}
    assert {limit for _, limit in limits("test").values()} == {None}
