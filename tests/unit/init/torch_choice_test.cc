#include "init/torch_choice.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;
using project::SourceMark;

ProjectFacts known() {
  ProjectFacts facts;
  for (const char* release : {"2.9", "2.10", "2.13", "2.15"}) facts.torches.push_back({release});
  return facts;
}

TEST_CASE("a project that does not need torch has none") {
  CHECK(choose_torch(known()).needed_because.empty());
  CHECK(choose_torch(known()).abi == "none");
}

TEST_CASE("torch that is only imported is not in the binary") {
  ProjectFacts facts = known();
  facts.pyproject = project::Pyproject{.dependencies = {"torch>=2.10,<2.15"}};
  const TorchChoice choice = choose_torch(facts);
  CHECK(choice.needed_because == "it depends on torch");
  CHECK(choice.abi == "none");
  CHECK(choice.releases == Texts{"2.10", "2.13"});
}

TEST_CASE("a C++ extension: the workflows' releases that are known, else the newest") {
  ProjectFacts facts = known();
  facts.setup_py = project::SetupPy{.imports = {"torch"}, .torch_extension = true};
  CHECK(choose_torch(facts).abi == "minor");
  CHECK(choose_torch(facts).releases == Texts{"2.13", "2.15"});
  facts.workflow.torches = {"2.10", "1.13", "2.9", "2.13"};
  CHECK(choose_torch(facts).releases == Texts{"2.10", "2.13"});
  facts.torches.clear();
  CHECK(choose_torch(facts).releases == Texts{"2.13"});
}

TEST_CASE("the releases that the user wants are taken, where torch is needed") {
  ProjectFacts facts = known();
  facts.wanted_torches = {"2.11"};
  CHECK(choose_torch(facts).left_out.size() == 1);
  facts.setup_py = project::SetupPy{.imports = {"torch"}, .torch_extension = true};
  facts.workflow.torches = {"2.10"};
  CHECK(choose_torch(facts).releases == Texts{"2.11"});
  CHECK(choose_torch(facts).releases_because == "`--torch`");
  CHECK(choose_torch(facts).left_out.empty());
}

TEST_CASE("the Stable ABI needs a target and only stable headers") {
  ProjectFacts facts = known();
  facts.sources = {{"a.cpp", {SourceMark::cxx, SourceMark::torch_stable}}};
  CHECK(choose_torch(facts).abi == "minor");
  CHECK(choose_torch(facts).left_out.size() == 1);
  facts.sources[0].torch_target = "2.10";
  CHECK(choose_torch(facts).abi == "stable(2.10)");
  CHECK(choose_torch(facts).releases == Texts{"2.10", "2.15"});
  facts.sources.push_back({"b.cpp", {SourceMark::torch}});
  CHECK(choose_torch(facts).abi == "minor");
}

}  // namespace
}  // namespace pinwheel::init
