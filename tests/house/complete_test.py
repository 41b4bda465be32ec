"""The rules about what must be complete can fail: the ids of steps."""

import step_ids


def texts(found) -> list[str]:
    return [str(finding) for finding in found]


def test_ids_of_steps_are_made_in_one_place():
    right = {"tools/a/a.cc": 'f("build:cpu", "tests:", "test: \\n"); // "test:"\n', step_ids.MODULE: '"build:"'}
    assert step_ids.check_step_ids(right) == []
    assert texts(step_ids.check_step_ids({"tools/a/a.cc": 'id.starts_with("test:") || id == "build:{}"'})) == [
        'tools/a/a.cc: "test:": ids are made and read by `plan/step_id`',
        'tools/a/a.cc: "build:{}": ids are made and read by `plan/step_id`',
    ]
