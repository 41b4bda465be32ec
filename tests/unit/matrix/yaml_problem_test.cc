#include "matrix/yaml_problem.h"

#include "matrix/parse.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

/// "line:column: message".
std::string problem(const std::string& text) {
  const Result<matrix::Node> node = matrix::read_yaml(text, "m.yaml");
  REQUIRE_FALSE(node.has_value());
  const Error& error = node.error();
  CHECK(error.kind == ErrorKind::config);
  CHECK_FALSE(error.hint.empty());
  return std::to_string(error.at->line) + ":" + std::to_string(error.at->column) + ": " +
         error.message;
}

}  // namespace

TEST_CASE("a tab that indents is named at its place") {
  const std::string tab = "a tab indents this line, and YAML indents by spaces";
  CHECK(problem("package:\n\tname: a\n\tsource: .\n") == "2:1: " + tab);
  CHECK(problem("package:\n  name: a\n\tsource: .\n") == "3:1: " + tab);
  CHECK(problem("package:\n  name: a\n  \tsource: .\n") == "3:3: " + tab);
  CHECK(problem("rules:\n  -\twhen: {a: b}\n") == "2:4: " + tab);
}

TEST_CASE("a bracket, brace or quote that is not closed is shown where it opens") {
  CHECK(problem("axes:\n  a: [\"1\", \"2\"\n  b: [c]\n") == "2:6: this `[` is not closed");
  CHECK(problem("axes: {a: [1]\nbuild:\n  command: [x]\n") == "1:7: this `{` is not closed");
  CHECK(problem("axes: {a: [1]\n") == "1:7: this `{` is not closed");
  CHECK(problem("axes: {a: ['3.11'}\n") == "1:11: this `[` is not closed");
  CHECK(problem("axes: {a: ['3.11]}\n") == "1:12: this `'` is not closed");
  CHECK(problem("axes:\n  a: \"3.11\nbuild: 1\n") == "2:6: this `\"` is not closed");
  CHECK(problem("a: it's [x]\nb: ]\n") == "2:4: this `]` closes nothing");
}

TEST_CASE("a missing comma is shown where it is missing") {
  CHECK(problem("a: {b: 1 c: 2}\n") == "1:11: a comma or the closing `}` is missing before this");
  CHECK(problem("a: [\"1\" \"2\"]\n") == "1:9: a comma or the closing `]` is missing before this");
}

TEST_CASE("a missing colon, or space after one, is shown in its line") {
  CHECK(problem("a: 1\npackage\n  name: a\n") == "2:1: a colon is missing in `package`");
  CHECK(problem("package:\n  name a\n  source: .\n") == "2:3: a colon is missing in `name a`");
  CHECK(problem("schema:pinwheel/1\npackage:\n  a: b\n") ==
        "1:7: a space is missing after the colon");
  CHECK(problem("package:\n  name:a\n  source: .\n") == "2:7: a space is missing after the colon");
  CHECK(problem("package: {name:a, source: .}\n") == "1:15: a space is missing after the colon");
  CHECK(problem("schema: a: b\n") == "1:10: a second colon in one line");
}

TEST_CASE("a wrong indentation is distinguished from a mixture of keys and entries") {
  CHECK(problem("package:\n  name: a\n   source: .\n") ==
        "3:4: this line is indented deeper than the line above, which has its value");
  CHECK(problem("package:\n  name: a\n source: .\n") ==
        "3:2: the indentation of this line fits none of the lines above");
  CHECK(problem("rules:\n  a: b\n  - c\n") ==
        "3:3: a list entry is not allowed among the keys of a mapping");
  CHECK(problem("rules:\n  - a\n  b: c\n") ==
        "3:3: a key is not allowed among the entries of a list");
  CHECK(problem("rules: - a\n") == "1:8: a list entry is not allowed here");
}

TEST_CASE("a character with a meaning of its own is named") {
  CHECK(problem("schema: @a\n") == "1:9: a value cannot begin with `@`");
  CHECK(problem("schema: *\n") ==
        "1:10: `*` refers to an anchor, and there is no such anchor above");
  CHECK(problem("schema: \"a\\qb\"\n") == "1:13: `\\q` means nothing in double quotes");
}
