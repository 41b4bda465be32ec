#include "prepare/frozen_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "host/machine/machine_name.h"
#include "plan/step_id.h"
#include "prepare/frozen_outline.h"
#include "prepare/frozen_run.h"
#include "prepare/host.h"

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
fs::path checkout_root(const Host& host) {
  const Result<ports::GitFacts> checkout = host.git.facts(host.directory, ports::WorkTree::ignore);
  return checkout ? checkout->root : fs::path();
}

/// A matrix that is named beside a plan is the plan's. Outside a checkout its digest alone tells.
Done check_agrees(ports::Files& files, const std::string& path, const plan::FrozenPlan& frozen,
                  const fs::path& root) {
  if (root.empty() || frozen.matrix.empty()) return {};
  const Result<fs::path> named = files.without_links(path);
  const Result<fs::path> planned = files.without_links(root / frozen.matrix);
  if (!named || !planned || *named == *planned) return {};
  return fail(ErrorKind::usage,
              fmt::format("the plan is of {}, not of {}", quoted(frozen.matrix), quoted(path)),
              "omit the matrix: the plan names it");
}

}  // namespace

Result<MatrixChoice> choose_matrix_of(const Host& host, const std::vector<std::string>& arguments,
                                      const std::optional<plan::FrozenPlan>& frozen) {
  const bool named = std::any_of(arguments.begin(), arguments.end(), is_matrix_name);
  if (!frozen || frozen->matrix.empty()) return choose_matrix(host, arguments);
  const fs::path root = checkout_root(host);
  if (named) {
    TRY(MatrixChoice choice, choose_matrix(host, arguments));
    TRY_DONE(check_agrees(host.files, choice.path, *frozen, root));
    return choice;
  }
  TRY_DONE(check_matrix_path(frozen->matrix));
  const fs::path matrix = (root / frozen->matrix).lexically_proximate(host.directory);
  std::vector<std::string> with_matrix = arguments;
  with_matrix.push_back(matrix.string());
  return choose_matrix(host, with_matrix);
}

Result<RunScope> frozen_scope(ports::Files& files, const FrozenScopeRequest& request,
                              ports::Notices& notices) {
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
    steps.push_back(plan::publish_id(target));
  }
  return steps;
}

}  // namespace pinwheel::prepare
