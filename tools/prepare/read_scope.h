#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/frozen.h"
#include "plan/make_plan.h"
#include "plan/outline.h"
#include "ports/files.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/options.h"
#include "prepare/package_source.h"
#include "prepare/prepared_run.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// A frozen plan, and the sha256 of its file.
struct PlanFile {
  plan::FrozenPlan plan;
  std::string digest;
};

/// The frozen plan in a file; none if `file` is empty.
Result<std::optional<PlanFile>> read_frozen_plan(ports::Files& files, const std::string& file);

/// `config` if the path of a matrix leaves the repository: reports and plans come from anywhere.
/// Pure.
Done check_matrix_path(const std::string& path);

/// The matrix among the positional arguments, else that of the plan in the repository of the
/// working directory; without a plan, as `choose_matrix`. `usage` if the plan is of another matrix.
Result<MatrixChoice> choose_matrix_of(const Host& host, const std::vector<std::string>& arguments,
                                      const std::optional<PlanFile>& frozen);

/// The part of a matrix in a scope: the variants that the options select in the channel, the
/// variant or build whose id is the only glob, or everything, without options of a plan.
enum class ScopePart { selected, one_id, whole };

/// The request of a command line to a matrix.
struct ScopeRequest {
  const GlobalOptions& global;
  const MatrixChoice& choice;
  const SelectionOptions& selection;
  const LevelOptions& levels;
  /// None: up to publishing if the version has targets, else up to the tests.
  std::optional<plan::Stage> stage = {};
  std::vector<std::string> targets = {};  ///< none: those of the channel
  ScopePart part = ScopePart::selected;
  TestImageUse images = TestImageUse::leave;
  std::optional<VersionFacts> version = {};  ///< none: that of the checkout, which is read
  const plan::FrozenPlan* frozen = nullptr;  ///< null: a fresh scope
};

/// The scope of a run, read in this order:
///
///     matrix -> version -> outline -> options of a plan
///
/// A frozen plan replaces the version and limits the outline; of its checkout only the matrix is
/// read, so a clone without history will do. Errors: `usage` if the command line contradicts the
/// plan; those of `load_matrix`, `gather_version_facts`, `select_outline`, `frozen_outline`,
/// `outline_of` and `up_to`.
Result<RunScope> read_scope(const Host& host, const ScopeRequest& request, ports::Notices& notices);

/// The same for a matrix that is loaded already.
Result<RunScope> scope_of(const Host& host, const ScopeRequest& request, Loaded loaded,
                          const ports::LogHandle& log);

/// The outline of the single variant of an id: a variant's own, "test:VARIANT", or "build:CLASS"
/// for the representative of the class. `usage` with the nearest name for any other id. Pure.
Result<plan::Outline> outline_of(const Loaded& loaded, const std::string& id);

/// A variant, and how to make its environments.
struct OneVariantRequest {
  const std::string& command;                 ///< "env shell", for errors
  const std::vector<std::string>& arguments;  ///< an id, and optionally a matrix file
  const LevelOptions& levels;
  plan::Stage stage = plan::Stage::build;
  PackageSource packages = FromLocks{};
};

/// Loads and prepares it: its environment, its build, and with `Stage::test` its test. It is the
/// only variant of the run's outline. `usage` with the nearest name for an id that is not in the
/// matrix.
Result<PreparedRun> prepare_variant(const Host& host, const GlobalOptions& global,
                                    const OneVariantRequest& request, ports::Notices& notices);

}  // namespace pinwheel::prepare
