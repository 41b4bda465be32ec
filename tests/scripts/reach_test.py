"""The targets that scripts/check selects for a change."""

from reach import included_by, reached, room_of, unit_target, work

TEXTS = {
    "tools/base/text.h": "#pragma once\n",
    "tools/base/text.cc": '#include "base/text.h"\n',
    "tools/pep/name.h": '#include "base/text.h"\n',
    "tools/pep/name.cc": '#include "pep/name.h"\n',
    "tools/host/steps/build.cc": '#include "pep/name.h"\n#include <base/other.h>\n',
    "tools/ports/clock.h": "",
    "tests/unit/catch.h": "",
    "tests/unit/base/text_test.cc": '#include "base/text.h"\n#include "unit/catch.h"\n',
    "tests/unit/pep/name_test.cc": '#include "pep/name.h"\n  #  include "unit/catch.h"\n',
    "tests/unit/host/steps/build_test.cc": "",
    "tests/fuzz/name_fuzz.cc": '#include "pep/name.h"\n',
    "kernels/csrc/base/isa.h": '#include "base/text.h"\n',
}


def test_a_room_is_the_directory_of_a_source_or_of_its_tests():
    assert room_of("tools/base/text.cc") == "base"
    assert room_of("tools/host/steps/build.h") == "host/steps"
    assert room_of("tests/unit/host/steps/build_test.cc") == "host/steps"
    assert room_of("tools/conda/rattler.py") == "conda"
    assert unit_target("host/steps") == "unit_host_steps"


def test_files_next_to_the_rooms_are_in_none():
    for path in ("tools/README.md", "tests/unit/catch.h", "tests/fuzz/name_fuzz.cc", "kernels/csrc/base/isa.h", "scripts/test"):
        assert room_of(path) is None, path


def test_a_header_reaches_those_that_include_it_however_indirectly():
    users = included_by(TEXTS)
    assert users["tools/base/text.h"] == {"tools/base/text.cc", "tools/pep/name.h", "tests/unit/base/text_test.cc"}
    far = reached(["tools/base/text.h"], users)
    assert {"tools/pep/name.cc", "tools/host/steps/build.cc", "tests/fuzz/name_fuzz.cc"} <= far
    assert "tools/ports/clock.h" not in far and "kernels/csrc/base/isa.h" not in far


def test_headers_that_include_each_other_end():
    users = included_by({"tools/a/x.h": '#include "a/y.h"\n', "tools/a/y.h": '#include "a/x.h"\n'})
    assert reached(["tools/a/x.h"], users) == {"tools/a/x.h", "tools/a/y.h"}


def test_a_source_asks_for_the_tests_of_its_room_alone():
    todo = work(["tools/base/text.cc"], TEXTS, [])
    assert todo.units == ("unit_base",)
    assert todo.formatted == todo.tidied == ("tools/base/text.cc",)
    assert todo.fuzzers == () and todo.pytests == ("tests/cli",)


def test_a_header_asks_for_the_tests_of_all_rooms_that_it_reaches():
    todo = work(["tools/base/text.h"], TEXTS, [])
    assert todo.units == ("unit_base", "unit_host_steps", "unit_pep")
    assert todo.tidied == ("tools/base/text.cc",)


def test_a_header_without_a_source_is_judged_where_it_is_included():
    texts = TEXTS | {"tools/run/a.cc": '#include "ports/clock.h"\n', "tools/run/b.cc": '#include "ports/clock.h"\n'}
    assert work(["tools/ports/clock.h"], texts, []).tidied == ("tools/run/a.cc",)
    assert work(["tools/ports/clock.h"], TEXTS, []).tidied == ()


def test_a_header_of_all_tests_asks_for_all_that_use_it():
    assert work(["tests/unit/catch.h"], TEXTS, []).units == ("unit_base", "unit_pep")


def test_a_file_that_is_gone_asks_for_its_room_and_is_not_read():
    todo = work(["tools/pep/gone.cc"], TEXTS, [])
    assert todo.units == ("unit_pep",) and todo.formatted == todo.tidied == ()


def test_scripts_and_fuzzers_ask_for_themselves():
    todo = work(["scripts/test", "tests/fuzz/name_fuzz.cc", "kernels/csrc/base/isa.h"], TEXTS, ["scripts/test"])
    assert todo.scripts == ("scripts/test",)
    assert todo.fuzzers == ("fuzz_name",)
    assert todo.formatted == ("kernels/csrc/base/isa.h", "tests/fuzz/name_fuzz.cc")
    assert todo.pytests == ("tests/cli", "tests/scripts") and todo.units == ()
    assert work(["tests/house/tree.py", "scripts/test"], TEXTS, []).pytests == ("tests/cli", "tests/house", "tests/scripts")
