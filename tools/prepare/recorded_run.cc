#include "prepare/recorded_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "host/machine/machine_name.h"
#include "plan/step_id.h"
#include "plan/subplan.h"
#include "prepare/build_facts.h"
#include "prepare/frozen_run.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/prepare_run.h"
#include "prepare/read_scope.h"
#include "prepare/store_places.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

Done check_machine(const plan::FrozenPlan& frozen) {
  const std::string here = host::machine_name();
  if (here == frozen.machine) return {};
  return fail(ErrorKind::environment,
              fmt::format("the run was on {}, but this machine is {}", frozen.machine, here),
              "repeat it on a machine of that architecture");
}

/// The variants of the run to which the step belongs: one for a build or a test, all for an
/// environment.
Result<plan::Outline> outline_of_step(const Loaded& loaded, const plan::FrozenPlan& frozen,
                                      const std::string& step) {
  std::vector<matrix::Variant> selected;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    const auto& ids = frozen.variants;
    if (std::find(ids.begin(), ids.end(), variant.id) != ids.end()) selected.push_back(variant);
  }
  const plan::Outline whole = plan::make_outline(loaded.classes, selected);
  const std::vector<matrix::Variant> variants = plan::variants_of_steps(whole, {step});
  if (!variants.empty()) return plan::make_outline(loaded.classes, variants);
  return fail(ErrorKind::config,
              fmt::format("{} has no step {}", quoted(loaded.matrix.file), quoted(step)),
              "the matrix differs from that of the run");
}

}  // namespace

Result<RecordedSource> recorded_source(const Host& host, const plan::RunOrigin& origin, SourceOf of,
                                       const fs::path& place, const host::GitProgram& git) {
  TRY_DONE(check_matrix_path(origin.matrix));
  if (origin.commit.empty()) return RecordedSource{origin.matrix};
  TRY(const ports::GitFacts checkout, host.git.facts(host.directory));
  if (of == SourceOf::this_checkout) {
    return RecordedSource{(checkout.root / origin.matrix).string()};
  }
  TRY(host::Worktree worktree, host::Worktree::add(git, checkout.root, origin.commit, place));
  return RecordedSource{(place / origin.matrix).string(), std::move(worktree)};
}

Result<PreparedRun> prepare_recorded_run(const Host& host, const GlobalOptions& global,
                                         const std::string& matrix, const RecordedStep& recorded,
                                         ports::Notices& notices) {
  const auto& [origin, step, requested] = recorded;
  TRY_DONE(check_machine(origin.plan));
  TRY(const Loaded loaded, load_matrix(host.files, matrix, notices, Warnings::print));
  TRY(const plan::Outline outline, outline_of_step(loaded, origin.plan, step));
  TRY(const LevelOptions levels, frozen_levels(requested, origin.plan));
  VersionFacts here;
  here.machine = origin.plan.machine;
  const TestImageUse images =
      plan::is_image_test(step) ? TestImageUse::prepare : TestImageUse::leave;
  TRY(RunScope scope,
      up_to(plan::makes_files(step) || plan::compiles_device_code(step) ? plan::Stage::build
                                                                        : plan::Stage::test,
            {global, loaded, outline, levels, frozen_version(here, origin.plan), images}));
  scope.stores = matrix_places(scope.loaded.matrix, host.variables);
  return prepare_run(host, scope, FromRun{origin, scope.loaded.digest()}, notices);
}

}  // namespace pinwheel::prepare
