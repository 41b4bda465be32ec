#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/digest.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/frozen_run.h"
#include "cli/levels.h"
#include "cli/locks.h"
#include "cli/prepare_containers.h"
#include "cli/run_plan.h"
#include "cli/stoppable.h"
#include "cli/upload_notes.h"
#include "host/git/git.h"
#include "host/index/publish_target.h"
#include "host/system/files.h"
#include "plan/frozen.h"

namespace pinwheel::cli {
namespace {

/// "cp311-cpu=no GPU runner today" -> id and reason.
Result<std::map<std::string, std::string>> parse_accepted(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> accepted;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return fail(ErrorKind::usage, fmt::format("`--accept {}` gives no reason", text),
                  "write `--accept ID=REASON`; the reason is recorded");
    }
    accepted[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return accepted;
}

/// A frozen plan of this matrix and this source.
Result<plan::FrozenPlan> read_frozen(ports::Files& files, const std::string& file,
                                     const Loaded& loaded, const Facts& facts) {
  TRY(const std::string text, files.read(file));
  TRY(plan::FrozenPlan frozen, plan::parse_frozen_plan(text, file));
  TRY(const std::string matrix_text, files.read(loaded.matrix.file));
  TRY_DONE(plan::check_frozen(frozen, sha256_hex(matrix_text), facts.plan.source.digest));
  return frozen;
}

/// The run's own selection narrows the frozen one, so a job may take its share.
plan::Outline narrowed(const plan::Outline& outline, const plan::FrozenPlan& frozen,
                       const Loaded& loaded) {
  std::vector<matrix::Variant> kept;
  for (const matrix::Variant& variant : outline.variants) {
    const bool frozen_in = std::find(frozen.variants.begin(), frozen.variants.end(), variant.id) !=
                           frozen.variants.end();
    if (frozen_in) kept.push_back(variant);
  }
  return plan::make_outline(loaded.classes, kept);
}

/// The exact packages: the frozen plan's, else the locks', else what is resolved.
Done gather_packages(const Undertaking& what, const RunOptions& options,
                     const std::optional<plan::FrozenPlan>& frozen,
                     const host::Workplace& workplace, Streams& streams, Facts& facts) {
  const Refresh refresh = options.refresh ? Refresh::yes : Refresh::no;
  if (frozen) {
    const std::vector<Error> others = other_images(facts);
    if (!others.empty()) return fail(others.front());
    TRY_DONE(record_frozen(*frozen, what, workplace, OtherPython::refuse, streams, facts));
  } else if (!options.no_lock) {
    TRY_DONE(apply_locks(what, workplace, refresh, streams, facts));
  }
  return gather_resolutions(what, workplace, refresh, streams, facts);
}

/// Hides the tokens of all targets before anything can show them. One that is missing is told by
/// the step that needs it.
void mask_tokens(const Loaded& loaded, const host::Workplace& workplace, Streams& streams) {
  if (!streams.in_github()) return;
  host::LocalFiles files;
  for (const matrix::PublishTarget& target : loaded.matrix.targets) {
    if (target.kind == matrix::TargetKind::directory) continue;
    const Result<host::UploadTarget> found = host::upload_target(target, workplace, files);
    if (found && found->credentials) streams.mask(found->credentials->password);
  }
}

std::vector<std::string> targets_of(const RunOptions& options, plan::Stage stage,
                                    const std::string& plan_file) {
  if (stage != plan::Stage::publish || !plan_file.empty()) return {};
  return options.targets;
}

}  // namespace

Result<int> run_stage(const GlobalOptions& global, const RunOptions& options, plan::Stage stage,
                      const std::string& command, Streams& streams) {
  host::LocalFiles files;
  host::LibGit2 git;
  TRY(const MatrixChoice choice, choose_matrix(files, options.selection.arguments));
  const Warnings warnings = options.selection.strict ? Warnings::refuse : Warnings::tell;
  TRY(const Loaded loaded, load_matrix(files, choice.path, streams, warnings));
  TRY(Facts facts, gather_version_facts(files, git, loaded, options.selection.channel,
                                        targets_of(options, stage, options.plan_file)));
  TRY(plan::Outline outline,
      select_outline(loaded, options.selection, choice.globs, facts.channel));
  TRY(host::Workplace workplace, make_workplace(global, loaded));
  TRY(workplace.accepted, parse_accepted(options.accept));
  workplace.token_file = options.token_file;
  workplace.on_upload = upload_notes(global, streams);
  if (stage == plan::Stage::publish) mask_tokens(loaded, workplace, streams);
  TRY_DONE(gather_build_facts(loaded, workplace, facts));
  LevelOptions levels = options.levels;
  std::optional<plan::FrozenPlan> frozen;
  if (!options.plan_file.empty()) {
    TRY(frozen, read_frozen(files, options.plan_file, loaded, facts));
    TRY(levels, frozen_levels(levels, *frozen));
    take_frozen(*frozen, facts);
    outline = narrowed(outline, *frozen, loaded);
  }
  if (stage == plan::Stage::publish && facts.targets.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("channel `{}` of `{}` publishes nowhere",
                            facts.channel.empty() ? "ci" : facts.channel, choice.path),
                "name a target with `--target`, or a channel with `--channel`");
  }
  TRY(const plan::PlanOptions plan_options, cli::plan_options(stage, facts.targets, levels));
  const Undertaking what{loaded, outline, plan_options};
  const auto prepare = [&]() -> Done {
    TRY_DONE(prepare_containers(what, levels, TestImages::prepare, workplace, streams, facts));
    return gather_packages(what, options, frozen, workplace, streams, facts);
  };
  TRY_DONE(stoppable(workplace, prepare));
  TRY(plan::Plan plan,
      plan::make_plan(loaded.matrix, loaded.expansion, outline, facts.plan, plan_options));
  RunRequest request{std::move(plan), std::move(workplace),
                     fmt::format("{} {}", command, shell_quote(choice.path))};
  request.origin = [&] { return origin_of(files, git, what, facts, request.workplace, levels); };
  return run_plan(global, options, request, streams);
}

Result<int> cmd_build(const GlobalOptions& global, const BuildCommand& options, Streams& streams) {
  return run_stage(global, options.run, plan::Stage::build, "build", streams);
}

Result<int> cmd_test(const GlobalOptions& global, const TestCommand& options, Streams& streams) {
  return run_stage(global, options.run, plan::Stage::test, "test", streams);
}

Result<int> cmd_release(const GlobalOptions& global, const ReleaseCommand& options,
                        Streams& streams) {
  return run_stage(global, options.run, plan::Stage::publish, "release", streams);
}

}  // namespace pinwheel::cli
