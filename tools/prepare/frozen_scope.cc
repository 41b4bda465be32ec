#include "prepare/frozen_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "host/machine/machine_name.h"
#include "host/system/files.h"
#include "prepare/frozen_outline.h"
#include "prepare/frozen_run.h"

namespace pinwheel::prepare {

namespace fs = std::filesystem;

Result<std::optional<plan::FrozenPlan>> read_frozen_plan(ports::Files& files,
                                                         const std::string& file) {
  if (file.empty()) return std::nullopt;
  TRY(const std::string text, files.read(file, limits::kPlan));
  return plan::parse_frozen_plan(text, file);
}

Done check_matrix_path(const std::string& path) {
  const fs::path relative(path);
  const bool leaves = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (!path.empty() && !relative.is_absolute() && !leaves) return {};
  return fail(ErrorKind::config,
              fmt::format("{} is not a matrix file inside a repository", quoted(path)),
              "for a run outside git, pass the matrix: `pinwheel reproduce REPORT MATRIX.yaml`");
}

namespace {

/// The root of the repository of the working directory; empty outside one.
fs::path checkout_root(ports::Git& git) {
  const Result<ports::GitFacts> checkout = git.facts(fs::current_path(), ports::WorkTree::ignore);
  return checkout ? checkout->root : fs::path();
}

/// A matrix that is named beside a plan is the plan's. Outside a checkout its digest alone tells.
Done check_agrees(const std::string& path, const plan::FrozenPlan& frozen, const fs::path& root) {
  if (root.empty() || frozen.matrix.empty()) return {};
  std::error_code error;
  const fs::path named = fs::weakly_canonical(path, error);
  const fs::path planned = fs::weakly_canonical(root / frozen.matrix, error);
  if (error || named == planned) return {};
  return fail(ErrorKind::usage,
              fmt::format("the plan is of {}, not of {}", quoted(frozen.matrix), quoted(path)),
              "omit the matrix: the plan names it");
}

}  // namespace

Result<MatrixChoice> choose_matrix_of(ports::Files& files, ports::Git& git,
                                      const std::vector<std::string>& arguments,
                                      const std::optional<plan::FrozenPlan>& frozen) {
  const bool named = std::any_of(arguments.begin(), arguments.end(), is_matrix_name);
  if (!frozen || frozen->matrix.empty()) return choose_matrix(files, arguments);
  const fs::path root = checkout_root(git);
  if (named) {
    TRY(MatrixChoice choice, choose_matrix(files, arguments));
    TRY_DONE(check_agrees(choice.path, *frozen, root));
    return choice;
  }
  TRY_DONE(check_matrix_path(frozen->matrix));
  const fs::path matrix = (root / frozen->matrix).lexically_proximate(fs::current_path());
  std::vector<std::string> with_matrix = arguments;
  with_matrix.push_back(matrix.string());
  return choose_matrix(files, with_matrix);
}

Result<RunScope> frozen_scope(const FrozenScopeRequest& request, ports::Notices& notices) {
  host::LocalFiles files;
  const plan::FrozenPlan& frozen = request.frozen;
  const SelectionOptions& selection = request.selection;
  if (!selection.channel.empty() && selection.channel != frozen.channel) {
    return fail(
        ErrorKind::usage,
        fmt::format("{} contradicts the plan, which was frozen for {}",
                    quoted(fmt::format("--channel {}", selection.channel)), quoted(frozen.channel)),
        "omit it: the plan decides");
  }
  const Warnings warnings = selection.strict ? Warnings::refuse : Warnings::tell;
  TRY(const Loaded loaded, load_matrix(files, request.choice.path, notices, warnings));
  TRY(const LevelOptions levels, frozen_levels(request.levels, frozen));
  TRY(const plan::Outline outline, frozen_outline(loaded, selection, request.choice.globs, frozen));
  VersionFacts here;
  here.machine = host::machine_name();
  here.publishes_nowhere = publishes_nowhere(loaded.matrix, frozen.channel);
  return up_to(request.stage, {request.global, loaded, outline, levels,
                               frozen_version(here, frozen), TestImageUse::prepare});
}

Result<std::vector<std::string>> publications(const plan::FrozenPlan& frozen,
                                              const std::vector<std::string>& targets) {
  std::vector<std::string> steps;
  for (const std::string& target : targets) {
    if (std::find(frozen.targets.begin(), frozen.targets.end(), target) == frozen.targets.end()) {
      return fail(ErrorKind::usage, fmt::format("the plan has no target {}", quoted(target)),
                  frozen.targets.empty() ? "it was frozen for a channel that publishes nowhere"
                                         : suggest(target, frozen.targets));
    }
    steps.push_back("publish:" + target);
  }
  return steps;
}

}  // namespace pinwheel::prepare
