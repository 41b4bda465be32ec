#include "init/proof.h"

#include <algorithm>

#include "init/decide.h"
#include "init/matrix_text.h"
#include "matrix/parse.h"
#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

LineValue value_in(const MatrixDraft& draft, const std::string& key) {
  for (const MatrixLine& line : draft.lines) {
    if (line.key == key) return line.value;
  }
  return {};
}

ProjectFacts torch_project() {
  ProjectFacts facts;
  facts.pyproject = project::Pyproject{.name = "ops", .version = "1.0"};
  facts.setup_py =
      project::SetupPy{.imports = {"torch"}, .extensions = true, .torch_extension = true};
  facts.source = "..";
  facts.torches = {
      {"2.13", {"3.11", "3.12"}}, {"2.14", {"3.11", "3.12"}}, {"2.15", {"3.11", "3.12"}}};
  return facts;
}

TEST_CASE("a proof is built with the narrowest ABI, from the project's own place") {
  const MatrixDraft draft = draft_to_prove(decide(torch_project()).draft, "/home/me/ops");
  CHECK(matrix::parse(matrix_text(draft), "m.yaml"));
  CHECK(value_in(draft, "package.source") == LineValue("/home/me/ops"));
  CHECK(value_in(draft, "abi.python") == LineValue("version"));
  CHECK(value_in(draft, "abi.torch") == LineValue("minor"));
}

TEST_CASE("what a wheel proved is what the matrix says, with the wheel's name") {
  const ProjectFacts facts = torch_project();
  const Proof proof{"ops-1.0-cp312-abi3-linux_x86_64.whl",
                    {"limited(3.12)", "3.12", "proven with `ops`: one", {{"more", "why"}}},
                    "stable(2.13)",
                    "proven with `ops`: two"};
  const Decision proven = decide(facts, proof);
  CHECK(proven.draft.proven_by == proof.wheel);
  CHECK(value_in(proven.draft, "abi.python") == LineValue("limited(3.12)"));
  CHECK(value_in(proven.draft, "axes.python") == LineValue(Texts{"3.12"}));
  CHECK(value_in(proven.draft, "abi.torch") == LineValue("stable(2.13)"));
  // The oldest that the ABI allows, and the newest.
  CHECK(value_in(proven.draft, "axes.torch") == LineValue(Texts{"2.13", "2.15"}));
  CHECK(std::ranges::find(proven.draft.left_out, LeftOut{"more", "why"}) !=
        proven.draft.left_out.end());
  const std::string text = matrix_text(proven.draft);
  CHECK(matrix::parse(text, "m.yaml"));
  CHECK(text.find("proven with `ops`: one") != std::string::npos);

  const Decision unproven = decide(facts);
  CHECK(unproven.draft.proven_by.empty());
  CHECK(value_in(unproven.draft, "abi.torch") == LineValue("minor"));
}

}  // namespace
}  // namespace pinwheel::init
