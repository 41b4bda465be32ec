#pragma once
#include <string>
#include <utility>
#include <vector>

#include "fakes/fake_host.h"
#include "plan/frozen.h"
#include "prepare/read_scope.h"
#include "unit/catch.h"

namespace pinwheel::prepare {

using Ids = std::vector<std::string>;

inline constexpr const char* kCheckoutYaml = R"(
schema: pinwheel/1
package: {name: demo, source: .}
store: ["dir:results"]
axes:
  python: ["3.11", "3.12"]
  flavor: [plain, loud]
abi: {python: none}
channels:
  release: {publish: [index]}
  quiet: {publish: []}
publish:
  index: {kind: directory, path: dist, label: "{flavor}"}
)";

/// A checkout of `/repo` with a tag on HEAD, and a command line for its matrix.
struct CheckoutWorld {
  fakes::FakeHost fake;
  GlobalOptions global = {};
  SelectionOptions selection = {};
  LevelOptions levels = {};
  MatrixChoice choice{"m.yaml", {}};

  CheckoutWorld() {
    fake.files.put("m.yaml", kCheckoutYaml);
    ports::GitFacts facts;
    facts.root = "/repo";
    facts.commit = std::string(40, 'a');
    facts.tags = {{"v1.2.0", 0}};
    facts.all_tags = {"v1.2.0"};
    facts.commit_count = 3;
    fake.git.known = facts;
  }

  ScopeRequest request() const { return {global, choice, selection, levels}; }
  Result<RunScope> read(const ScopeRequest& request) {
    return read_scope(fake.host, request, fake.notices);
  }
  RunScope scope(const ScopeRequest& request) {
    Result<RunScope> scope = read(request);
    INFO((scope ? std::string() : render(scope.error())));
    REQUIRE(scope);
    return *std::move(scope);
  }
};

inline Ids variants_of(const RunScope& scope) {
  Ids ids;
  for (const matrix::Variant& variant : scope.outline.variants) ids.push_back(variant.id);
  return ids;
}

inline plan::FrozenPlan frozen_plan(Ids variants) {
  plan::FrozenPlan frozen;
  frozen.matrix = "m.yaml";
  frozen.variants = std::move(variants);
  frozen.channel = "release";
  frozen.targets = {"index"};
  frozen.version = {"1.2.0", ""};
  frozen.commit = std::string(40, 'a');
  frozen.levels.python = env::PythonSource::venv;
  return frozen;
}

}  // namespace pinwheel::prepare
