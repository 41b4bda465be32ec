"""Tables about what was run fit the columns that `COLUMNS` names."""

import pytest

LONG = "a-rather-long-flavor-of-the-library-for-inference"


def widest(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


@pytest.mark.parametrize("columns", [60, 79])
def test_the_summary_and_the_lists_of_what_was_made_fit(project, columns):
    one = project("script")
    one.edit(lambda matrix: matrix["axes"].update(flavor=[LONG, "plain"]))
    narrow = {"COLUMNS": str(columns)}
    ran = one.run("test", "matrix.yaml", **narrow)
    summary = ran.stderr[ran.stderr.rindex("step ") if "step " in ran.stderr else ran.stderr.rindex("env:") :]
    assert LONG[:12] in summary and widest(summary) <= columns, summary
    for command in (["env", "list"], ["env", "lock", "matrix.yaml", "--check"], ["store", "stat"], ["plan", "matrix.yaml"]):
        printed = one.run(*command, code=7 if "--check" in command else 0, **narrow).stdout
        assert widest(printed) <= columns, printed
    (wheel, *_) = one.output.glob("*.whl")
    for command in (["inspect", str(wheel)], ["compat", str(wheel)]):
        printed = one.run(*command, **narrow).stdout
        assert widest(printed) <= columns, printed
