"""The counts that show whether a change of the tests lost something."""

from count_tests import assert_count, catch_counts

LOG = """\
1: All tests passed (30 assertions in 4 test cases)
----
===============================================================================
All tests passed (1 assertion in 1 test case)

All tests passed (120 assertions in 30 test cases)

test cases: 3 | 2 passed | 1 failed
"""


def test_cases_and_assertions_of_programs_that_passed_are_summed():
    assert catch_counts(LOG) == (31, 121)
    assert catch_counts("") == (0, 0)


def test_assert_statements_are_counted_wherever_they_are():
    assert assert_count("def f():\n    assert 1\n    for x in y:\n        assert x, 'assert'\n# assert\n") == 2
