"""Each rule of the test `house` can fail: small trees that keep it, and what is found once they break it."""

import json
import pathlib
import subprocess
import sys

import declarations
import documents
import limits
import pages
import quoting
import readers
import rooms
import tree
import type_names


def texts(found) -> list[str]:
    return [str(finding) for finding in found]


ROOMS = {
    "tools/README.md": "| level | directory |\n|---|---|\n| 0 | `base/` | | text |\n| 2 | `host/net/` | | HTTP |\n",
    "CMakeLists.txt": "pinwheel_library(base)\npinwheel_library(host/net USES base)\n",
    "tools/base/text.h": "",
    "tools/host/net/http.h": "",
}


def test_the_three_lists_of_rooms_must_agree():
    assert rooms.check_rooms(ROOMS) == []
    assert texts(rooms.check_rooms({**ROOMS, "tools/pep/name.h": ""})) == [
        "tools/README.md: the table of levels lacks `pep`",
        "CMakeLists.txt: pinwheel_library lacks `pep`",
    ]
    without_net = {path: text for path, text in ROOMS.items() if path != "tools/host/net/http.h"}
    assert texts(rooms.check_rooms(without_net)) == [
        "tools/README.md: the table of levels names `host/net`, and tools/host/net/ holds no source",
        "CMakeLists.txt: pinwheel_library names `host/net`, and tools/host/net/ holds no source",
    ]
    twice = {**ROOMS, "CMakeLists.txt": ROOMS["CMakeLists.txt"] + "pinwheel_library(base)\n"}
    assert texts(rooms.check_rooms(twice)) == ["CMakeLists.txt: pinwheel_library names `base` twice"]


def test_the_page_of_the_architecture_names_modules_that_exist():
    readme = ROOMS["tools/README.md"] + "Text is cut by `base/text`, sent by `host/net/http*`; `plan/x` is no room's.\n"
    assert rooms.check_map({**ROOMS, "tools/README.md": readme}) == []
    assert texts(rooms.check_map({**ROOMS, "tools/README.md": readme + "`base/words`"})) == [
        "tools/README.md: names `base/words`, and there is no such module"
    ]


def test_a_small_module_has_two_users_or_a_test():
    small = {
        "tools/x/part.h": "int part();\n",
        "tools/x/part.cc": '#include "x/part.h"\nint part() { return 1; }\n',
        "tools/x/whole.cc": '#include "x/part.h"\n',
    }
    assert texts(rooms.check_small_modules(small)) == ["tools/x/part.h: has 3 lines and one user: it is a part of `x/whole`"]
    assert rooms.check_small_modules({**small, "tools/x/other.cc": '#include "x/part.h"\n'}) == []
    assert rooms.check_small_modules({**small, "tests/unit/x/part_test.cc": '#include "x/part.h"\n'}) == []
    assert rooms.check_small_modules({**small, "tools/x/part.h": "\n" * 60}) == []


def test_a_source_without_its_header_must_be_an_exception(monkeypatch):
    monkeypatch.setattr(rooms, "DECLARED_IN", {"tools/x/part_*.cc": "tools/x/whole.h"})
    monkeypatch.setattr(rooms, "NO_HEADER", set())
    right = {"tools/x/whole.h": "", "tools/x/part_a.cc": '#include "x/whole.h"\n'}
    assert rooms.check_pairs(right) == []
    assert texts(rooms.check_pairs({**right, "tools/x/lonely.cc": ""})) == [
        "tools/x/lonely.cc: has no lonely.h and is no exception in tests/house/rooms.py"
    ]
    assert texts(rooms.check_pairs({**right, "tools/x/part_a.cc": ""})) == [
        "tools/x/part_a.cc: does not include `tools/x/whole.h`, which is said to declare what it defines"
    ]
    assert texts(rooms.check_pairs({"tools/x/whole.h": ""})) == [
        "tests/house/rooms.py: `tools/x/part_*.cc` matches no source"
    ]


def test_a_module_of_host_that_touches_nothing_is_found():
    for touch in ('"ports/files.h"', "<unistd.h>", "<fstream>", '"host/system/files.h"'):
        assert rooms.check_host_modules({"tools/host/net/a.cc": f'#include "host/net/a.h"\n#include {touch}\n'}) == []
    pure = {"tools/host/net/a.cc": '#include "host/net/a.h"\n#include <vector>\n', "tools/host/net/a.h": '#include "base/text.h"\n'}
    assert texts(rooms.check_host_modules(pure)) == [
        "tools/host/net/a: uses no port, no system header and nothing of host: what decides purely belongs to another room"
    ]


def test_modules_of_the_upper_rooms_include_each_other_in_one_direction():
    tree = {
        "tools/prepare/a.h": "",
        "tools/prepare/a.cc": '#include "prepare/a.h"\n#include "prepare/b.h"\n',
        "tools/prepare/b.h": "",
        "tools/prepare/b.cc": '#include "prepare/b.h"\n#include "prepare/c.h"\n',
        "tools/prepare/c.h": "",
    }
    assert rooms.check_cycles(tree) == []
    closed = {**tree, "tools/prepare/c.cc": '#include "prepare/a.h"\n'}
    assert texts(rooms.check_cycles(closed)) == [
        "tools/prepare/a.h: is in a cycle of includes: prepare/a, prepare/b, prepare/c"
    ]


def test_two_types_of_one_name_must_not_meet():
    apart = {
        "tools/base/rule.h": "struct Rule {\n};\n",
        "tools/pep/rule.h": "using Rule = int;\n",
        "tools/pep/uses.h": '#include "pep/rule.h"\n',
        "tools/cli/one.cc": '#include "base/rule.h"\n',
        "tools/cli/other.cc": '#include "pep/uses.h"\nstruct Rule {\n};\n',
    }
    assert type_names.check_type_names(apart) == []
    forward = {**apart, "tools/pep/rule.h": "struct Rule;\n", "tools/cli/one.cc": '#include "base/rule.h"\n#include "pep/rule.h"\n'}
    assert type_names.check_type_names(forward) == []
    meeting = {**apart, "tools/cli/one.cc": '#include "base/rule.h"\n#include "pep/uses.h"\n'}
    assert texts(type_names.check_type_names(meeting)) == [
        "tools/cli/one.cc: meets two types named `Rule`: of tools/base/rule.h and of tools/pep/rule.h"
    ]


def test_a_cited_document_must_exist():
    cited = {
        "tools/a/x.h": '// See a.md.\nconst char* kName = "none.md";\n',
        "tools/a/a.md": "",
        "tests/b/t.py": '"""As docs/c.md says."""\nNAME = "none.md"\n',
        "docs/c.md": "",
        "scripts/run": "#!/bin/sh\n# docs/c.md\n",
    }
    assert documents.check_documents(cited) == []
    gone = {path: text for path, text in cited.items() if not path.endswith(".md")}
    assert texts(documents.check_documents(gone)) == [
        "scripts/run: cites `docs/c.md`, which does not exist",
        "tests/b/t.py: cites `docs/c.md`, which does not exist",
        "tools/a/x.h: cites `a.md`, which does not exist",
    ]


LIMITS = {
    ".github/CONTRIBUTING.md": "a screen (60 lines, 6 parameters, 4 levels of nesting), files within 3 lines.\n",
    ".clang-tidy": "".join(
        f"  - {{key: readability-function-size.{name}, value: '{value}'}}\n"
        for name, value in (("LineThreshold", 60), ("ParameterThreshold", 6), ("NestingThreshold", 4))
    ),
    "tools/a/x.cc": "\n" * 3,
}


def test_the_limits_that_are_stated_are_those_that_are_checked():
    assert limits.check_limits(LIMITS) == []
    assert texts(limits.check_limits({**LIMITS, ".clang-tidy": LIMITS[".clang-tidy"].replace("60", "70")})) == [
        ".clang-tidy: LineThreshold is 70, .github/CONTRIBUTING.md says 60"
    ]
    assert texts(limits.check_limits({**LIMITS, ".clang-tidy": ""}))[0].startswith(".clang-tidy: LineThreshold is unset")
    assert texts(limits.check_limits({**LIMITS, "tools/a/x.cc": "\n" * 4})) == [
        "tools/a/x.cc: has 4 lines; .github/CONTRIBUTING.md allows 3"
    ]
    assert limits.check_limits({**LIMITS, ".github/CONTRIBUTING.md": "short functions"})[0].path == ".github/CONTRIBUTING.md"


HEADER = """#pragma once
namespace pinwheel::a {
/// Not code: unused_in_comment(x);
inline constexpr int kUsed = 3;
struct Kept { int field = 0; };
Kept make(int x);
class Thing {
 public:
  explicit Thing(int x);
  int size() const { return 1; }

 private:
  int hidden() const;
};
}  // namespace pinwheel::a
"""
USERS = {
    "tools/a/a.h": HEADER,
    "tools/a/a.cc": '#include "a/a.h"\nKept make(int x) { return {}; }\nint Thing::hidden() const { return 0; }\n',
    "tools/b/b.cc": "int f() { return make(kUsed).field + Thing(1).size(); }\n",
}


def test_declarations_are_read_from_headers():
    assert declarations.declared_by(HEADER) == {
        "kUsed": "value", "Kept": "type", "make": "function", "Thing": "type", "size": "member",
    }  # fmt: skip


def test_what_nothing_uses_is_found(monkeypatch):
    monkeypatch.setattr(declarations, "FOR_TESTS", {})
    assert declarations.check_declarations(USERS) == []
    idle = {**USERS, "tools/b/b.cc": "int f() { return kUsed; }\n"}
    assert texts(declarations.check_declarations(idle)) == [
        "tools/a/a.h: nothing uses `make`",
        "tools/a/a.h: nothing uses `size`",
    ]
    own = {**USERS, "tools/a/a.cc": USERS["tools/a/a.cc"] + "Kept other() { return make(1); }\n"}
    own["tools/b/b.cc"] = "int f() { return kUsed + Thing(1).size(); }\n"
    assert texts(declarations.check_declarations(own)) == ["tools/a/a.h: only its own source uses `make`: keep it there"]
    assert declarations.check_declarations({**own, "tests/unit/a_test.cc": "make(2);\n"}) == []
    tested = {**idle, "tests/unit/a_test.cc": "make(2); Thing(1).size();\n"}
    assert texts(declarations.check_declarations(tested)) == [
        "tools/a/a.h: nothing uses `make` but a test",
        "tools/a/a.h: nothing uses `size` but a test",
    ]
    monkeypatch.setattr(declarations, "FOR_TESTS", {"make": "why", "size": "why", "gone": "why"})
    assert texts(declarations.check_declarations(tested)) == ["tests/house/declarations.py: `gone` needs no excuse"]


OPTIONS = {
    "tools/cli/options.h": "struct Shared {\n  bool strict = false;\n};\n"
    "struct RunOptions {\n  Shared shared;\n  bool json = false;\n};\n",
    "tools/cli/parser.h": "struct BuildCommand {\n  RunOptions run;\n};\n",
    "tools/cli/parser.cc": "RunOptions run; run.json; run.shared.strict;\n",
    "tools/cli/build.cc": "int f(const BuildCommand& c) { return c.run.json + c.run.shared.strict; }\n",
}


def test_an_option_that_nobody_reads_is_found():
    assert declarations.check_options(OPTIONS) == []
    written = {**OPTIONS, "tools/cli/build.cc": "void f(BuildCommand& c) { c.run.json = true; c.run.shared.strict; }\n"}
    assert texts(declarations.check_options(written)) == ["tools/cli/options.h: `RunOptions::json` is accepted and never read"]
    elsewhere = {**OPTIONS, "tools/cli/build.cc": "int f(const OtherOptions& o) { return o.json; }\n"}
    assert len(declarations.check_options(elsewhere)) == 3


SCHEMA = {
    "properties": {
        "schema": {"enum": ["pinwheel/1"]},
        "build": {
            "type": "object",
            "properties": {
                "timeout": {"type": "string", "pattern": "^[0-9]+ *(ms|s|sec)$"},
                "kind": {"anyOf": [{"enum": ["a", "b"]}, {"type": "object", "additionalProperties": {"enum": ["a", "b"]}}]},
            },
        },
        "channels": {"type": "object", "additionalProperties": {"type": "object", "properties": {"on": {"type": "boolean"}}}},
        "checks": {
            "type": "object",
            "properties": {
                name: {
                    "type": "array",
                    "items": {"anyOf": [{"enum": ["one"]}, {"type": "object", "properties": {"size": {"type": "integer"}}}]},
                }
                for name in ("before", "after")
            },
        },
    }
}
MATRIX_PAGE = """| `schema` | `pinwheel/1` | required | the version |
## `build`
| `build.timeout` | time | 1 h | how long |
| `build.kind` | `a` or `b` by value | | which |
## `channels`
| `channels.NAME` | mapping | | one |
| `channels.NAME.on` | true or false | false | whether |
## `checks`
| `checks.before` | list | none | of `one` |
| `checks.before.size` | number | | how many |
| `checks.after` | list | none | of `one` |
| `checks.after.size` | number | | how many |
"""


def matrix_findings(page: str) -> list[str]:
    found = pages.check_matrix_page({pages.SCHEMA: json.dumps(SCHEMA), pages.MATRIX: page})
    return [finding.text for finding in found]


def test_the_page_of_the_matrix_has_every_key_and_no_other():
    assert matrix_findings(MATRIX_PAGE) == []
    assert matrix_findings(MATRIX_PAGE.replace("`build.timeout`", "`build.time`")) == [
        "has no row for `build.timeout`",
        "has a row for `build.time`, which is no key",
    ]
    assert matrix_findings(MATRIX_PAGE.replace("## `build`", "## `make`")) == [
        "has no section for `build`",
        "has a section for `make`, which is no key",
        "has no row for `build`",
    ]
    assert matrix_findings(MATRIX_PAGE.replace("| time |", "| size |")) == ["`build.timeout` is time, the page says size"]
    assert matrix_findings(MATRIX_PAGE.replace("`a` or `b` by", "`a` by")) == [
        "`build.kind` is `a`, `b` by value, the page says `a` by value"
    ]
    assert matrix_findings(MATRIX_PAGE.replace("of `one`", "of all", 1)) == ["the row of `checks.before` does not name `one`"]


CLI = {
    pages.ERRORS: 'KindEntry{ErrorKind::usage, "usage", 2},\nKindEntry{ErrorKind::check, "check", 5},\n',
    "tools/cli/load.cc": 'get("PINWHEEL_MATRIX"); get("PINWHEEL_TOKEN_" + target);  // "PINWHEEL_TOKEN_MINE"\n',
    pages.CLI: "| 0 | | done |\n| 2 | `usage` | no |\n| 5 | `check` | no |\n"
    "| `PINWHEEL_MATRIX` | which |\n| `PINWHEEL_TOKEN_TARGET` | token |\n",
}


def test_the_page_of_the_command_line_has_every_variable_and_exit_code():
    assert pages.check_cli_page(CLI) == []
    assert texts(pages.check_cli_page({**CLI, pages.CLI: CLI[pages.CLI].replace("PINWHEEL_MATRIX", "PINWHEEL_FILE")})) == [
        "docs/cli.md: does not list `PINWHEEL_MATRIX`",
        "docs/cli.md: lists `PINWHEEL_FILE`, which nothing reads",
    ]
    assert texts(pages.check_cli_page({**CLI, pages.CLI: CLI[pages.CLI].replace("| 5 | `check`", "| 4 | `checks`")})) == [
        "docs/cli.md: `check` exits 5, the page says nothing",
        "docs/cli.md: `checks` exits never, the page says 4",
    ]


def test_the_site_lists_every_page_once():
    pages_of_docs = {"docs/index.md": "", "docs/cli-run.md": "", "docs/a/x.txt": ""}
    site = "nav:\n  - Home: index.md\n  - Commands:\n      - Running: cli-run.md\n"
    assert pages.check_nav({**pages_of_docs, pages.SITE: site}) == []
    wrong = site.replace("cli-run.md", "cli.md") + "  - Home: index.md\n"
    assert texts(pages.check_nav({**pages_of_docs, pages.SITE: wrong})) == [
        "mkdocs.yml: does not list `cli-run.md`",
        "mkdocs.yml: lists `cli.md`, which is no page",
        "mkdocs.yml: lists `index.md` twice",
    ]


def test_a_value_between_the_back_ticks_of_a_format_string_is_found():
    right = (
        '// "`{}`"\n'
        'a(fmt::format("{} has {}, use `x: {{y: Z}}` or `0x{:02x}`", quoted(name), n));\n'
        'b("`{from: file}`" + text, "```" + text);\n'
    )
    assert quoting.check_quoting({"tools/a/a.cc": right, "tests/a.cc": '"`{}`"', quoting.QUOTED: '"`{}`"'}) == []
    for wrong in ('"no `{}` in {}"', '"`a {0}`"', '"`a"\n  " {}`"', '"`abi: {{python: {}}}`"', '"a \\"`{}`\\""'):
        assert len(quoting.check_quoting({"tools/a/a.h": f"f({wrong}, name);\n"})) == 1
    assert texts(quoting.check_quoting({"tools/a/a.cc": 'f("no `" + name + "` here");\n'})) == [
        'tools/a/a.cc: "no `" + opens a back-tick that it does not close: use `quoted`'
    ]


def test_a_url_whose_query_would_be_shown_is_found():
    right = 'f(quoted_url(answer.url), quoted(url->host), quoted(name));\n'
    assert quoting.check_quoting({"tools/a/a.cc": right, quoting.URL_QUOTED: "quoted(mask_urls(url))"}) == []
    for wrong in ("url_", "to.url", "request->url", "address.remote.url", "base_url()", "mask_urls(text)"):
        assert len(quoting.check_quoting({"tools/a/a.cc": f"f(quoted({wrong}));\n"})) == 1, wrong


def test_literals_and_comments_of_cpp_are_distinguished():
    text = 'int a = f("x // y", \'"\');  // z "w"\n/* b */ auto r = R"(// no)";\n'
    assert tree.code_of(text) == 'int a = f("", "");  \n auto r = "";\n'
    assert tree.cpp_comments(text) == '// z "w"\n/* b */'
    assert tree.without_comments(text) == 'int a = f("x // y", \'"\');  \n auto r = R"(// no)";\n'


def test_the_program_reads_a_checkout_and_fails_when_a_rule_does(root, tmp_path):
    house = [sys.executable, "-B", str(root / "tests/house/house.py")]
    clone = tmp_path / "clone"
    for path, text in tree.read_tree(pathlib.Path(root)).items():
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / path).write_text(text)
    subprocess.run(["git", "init", "--quiet"], cwd=clone, check=True)
    ran = subprocess.run([*house, str(clone)], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    (clone / "tools/base/text.h").write_text("// as nowhere.md says\n" + (clone / "tools/base/text.h").read_text())
    ran = subprocess.run([*house, str(clone)], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (1, "house: tools/base/text.h: cites `nowhere.md`, which does not exist\n")


FUZZED = {
    "tools/base/url.h": "std::string decode_percent(std::string_view text);\n",
    "tests/fuzz/CMakeLists.txt": "pinwheel_fuzzer(url base)\n",
    "tests/fuzz/url_fuzz.cc": "decode_percent(text);\n",
    "tests/data/fuzz/url/plain": "a",
}


def test_a_reader_without_a_fuzz_target_is_found(monkeypatch):
    monkeypatch.setattr(readers, "NOT_CALLED", {})
    assert readers.check_fuzz_targets(FUZZED) == []
    more = "Result<Page> parse_page(\n    const std::string& text);\n// Result<Page> parse_comment(std::string_view text);\n"
    assert texts(readers.check_fuzz_targets({**FUZZED, "tools/base/page.h": more})) == [
        "tools/base/page.h: no fuzz target calls `parse_page`, and it is no exception in tests/house/readers.py"
    ]
    unlisted = {**FUZZED, "tests/fuzz/page_fuzz.cc": "", "tests/data/fuzz/pages/a": ""}
    assert texts(readers.check_fuzz_targets(unlisted)) == [
        "tests/fuzz/CMakeLists.txt: lists no target `page`",
        "tests/data/fuzz: `pages` is no target",
    ]


def test_an_exception_of_a_reader_that_is_gone_or_called_is_found(monkeypatch):
    monkeypatch.setattr(readers, "NOT_CALLED", {"parse_gone": "x", "decode_percent": "x"})
    assert texts(readers.check_fuzz_targets(FUZZED)) == [
        "tests/house/readers.py: `decode_percent` is no exception: a fuzz target calls it",
        "tests/house/readers.py: there is no reader `parse_gone`",
    ]


def test_a_read_around_the_one_reader_is_found():
    reads = {
        "std::ifstream in(path);": "read_regular_file",
        "UniqueFd fd(::open(path.c_str(),\n    O_RDONLY | O_CLOEXEC));": "open_regular_file",
        "std::filebuf in;": "read_regular_file",
        "FILE* in = freopen(path, mode, stdin);": "read_regular_file",
        "int fd = open(path, O_RDONLY);": "open_regular_file",
        "int fd = ::openat(directory, name, O_RDWR | O_CLOEXEC);": "open_regular_file",
        "auto json = nlohmann::json::parse(text);": "read_json",
        "using Reply = nlohmann::ordered_json;\nauto json = Reply::parse(text);": "read_json",
        "auto table = toml::parse(text);": "read_toml",
        "YAML::Node node = YAML::Load(text);": "matrix::read_yaml",
    }
    for code, instead in reads.items():
        (found,) = texts(readers.check_reads({"tools/env/x.cc": code}))
        assert found.startswith(f"tools/env/x.cc: reads around `{instead}`")
    assert readers.check_reads({"tools/env/x.cc": "// std::ifstream in(path);\n", "tests/x.cc": "std::ifstream in(path);"}) == []
    assert readers.check_reads({"tools/base/read_toml.cc": "toml::parse(text);"}) == []
