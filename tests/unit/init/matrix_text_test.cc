#include "init/matrix_text.h"

#include "matrix/parse.h"
#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;
using Entries = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("lines are grouped into sections, with their reasons") {
  const MatrixDraft draft{{{"package.name", "demo", "pyproject.toml"},
                           {"package.source", "..", ""},
                           {"package", {}, "a remark"},
                           {"axes.python", Texts{"3.10", "3.12"}, "because"},
                           {"environment.torch.spec", "torch~={torch}.0", ""},
                           {"environment.torch.index", Entries{{"cpu", "https://a/b"}}, ""},
                           {"environment.tools", Texts{"ninja"}, ""},
                           {"test", {}, "no tests"}},
                          {{"this", "that"}}};
  CHECK(matrix_text(draft) ==
        R"(# Written by `pinwheel init`, which read the project and ran nothing of it.
schema: pinwheel/1

package:
  name: demo  # pyproject.toml
  source: ..
  # a remark

axes:
  python: ["3.10", "3.12"]  # because

environment:
  torch:
    spec: "torch~={torch}.0"
    index: {cpu: "https://a/b"}
  tools: [ninja]

# no tests

# Not adopted:
# - this: that
)");
}

TEST_CASE("whatever a project says, the reader gets it back") {
  for (const std::string text :
       {"a\"b\\c", "yes", "1.0", "x: y", "- a", "#", "'q'", "{{a}}", "a, b", "~"}) {
    INFO(text);
    const std::string yaml =
        matrix_text({{{"package.name", "demo", "a\nb"},
                      {"package.source", "..", ""},
                      {"axes.python", Texts{"3.12"}, ""},
                      {"build.external", Texts{text}, std::string(300, 'x') + " y"}},
                     {{"a\n- b", "c"}}});
    const auto matrix = matrix::parse(yaml, "m.yaml");
    REQUIRE(matrix);
    const matrix::Node* const build = matrix->sections.find("build");
    REQUIRE(build != nullptr);
    REQUIRE(build->find("external") != nullptr);
    CHECK(build->find("external")->items.at(0).scalar == text);
  }
}

TEST_CASE("long reasons stand above their line and are wrapped") {
  const std::string yaml =
      matrix_text({{{"axes.a", Texts{"b"}, "word " + std::string(93, 'x') + " y"}}, {}});
  CHECK(yaml.ends_with("axes:\n  # word\n  # " + std::string(93, 'x') + " y\n  a: [b]\n"));
}

}  // namespace
}  // namespace pinwheel::init
