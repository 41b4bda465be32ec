#include "cli/run_stage.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "cli/check_version.h"
#include "cli/frozen_run.h"
#include "cli/load.h"
#include "cli/prepare_run.h"
#include "cli/run_plan.h"
#include "cli/upload_notes.h"
#include "cli/workplace.h"
#include "host/git/git.h"
#include "host/system/files.h"

namespace pinwheel::cli {
namespace {

/// "cp311-cpu=no GPU runner today" -> id and reason.
Result<std::map<std::string, std::string>> parse_accepted(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> accepted;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return fail(ErrorKind::usage, fmt::format("`--accept {}` has no reason", text),
                  "use `--accept ID=REASON`; the reason is recorded");
    }
    accepted[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return accepted;
}

/// A frozen plan, to run with this matrix file.
Result<FromFrozenPlan> read_frozen(ports::Files& files, const std::string& file,
                                   const std::string& matrix, Refresh refresh) {
  TRY(const std::string text, files.read(file));
  TRY(plan::FrozenPlan frozen, plan::parse_frozen_plan(text, file));
  TRY(const std::string matrix_text, files.read(matrix));
  return FromFrozenPlan{std::move(frozen), sha256_hex(matrix_text), refresh};
}

std::vector<std::string> targets_of(const RunOptions& options, plan::Stage stage,
                                    const std::string& plan_file) {
  if (stage != plan::Stage::publish || !plan_file.empty()) return {};
  return options.targets;
}

Error no_target(const std::string& channel, const std::string& matrix) {
  return Error{ErrorKind::usage, fmt::format("channel `{}` of `{}` publishes nowhere",
                                             channel.empty() ? "ci" : channel, matrix)}
      .with_hint(
          "pass a target with `--target` or a channel with `--channel`; `publish: []` in the "
          "channel makes `release` build and test alone");
}

/// The request on the command line: a run, and the source of its packages.
struct Asked {
  RunScope scope;
  PackageSource source;
};

Result<Asked> read_request(const GlobalOptions& global, const RunOptions& options,
                           const MatrixChoice& choice, plan::Stage stage, Streams& streams) {
  host::LocalFiles files;
  host::LibGit2 git;
  const Warnings warnings = options.selection.strict ? Warnings::refuse : Warnings::tell;
  TRY(const Loaded loaded, load_matrix(files, choice.path, streams, warnings));
  TRY(VersionFacts version,
      gather_version_facts(files, git, loaded, options.selection.channel,
                           targets_of(options, stage, options.plan_file), streams.log()));
  TRY(plan::Outline outline,
      select_outline(loaded, options.selection, choice.globs, version.channel));
  const Refresh refresh = options.refresh ? Refresh::yes : Refresh::no;
  LevelOptions levels = options.levels;
  PackageSource source = locks_or_indexes(options.no_lock ? UseLocks::no : UseLocks::yes, refresh);
  if (!options.plan_file.empty()) {
    TRY(FromFrozenPlan frozen, read_frozen(files, options.plan_file, choice.path, refresh));
    TRY(levels, frozen_levels(levels, frozen.plan));
    version = frozen_version(std::move(version), frozen.plan);
    outline = narrowed(loaded, outline, frozen.plan);
    source = std::move(frozen);
  } else {
    TRY_DONE(check_project_version(files, loaded, outline, version, streams));
  }
  if (stage == plan::Stage::publish && version.targets.empty()) {
    if (!version.publishes_nowhere) return fail(no_target(version.channel, choice.path));
    streams.note(nowhere_line(version.channel));
    stage = plan::Stage::test;
  }
  TRY(RunScope scope,
      up_to(stage, {global, loaded, outline, levels, version, TestImageUse::prepare}));
  return Asked{std::move(scope), std::move(source)};
}

}  // namespace

Result<int> run_stage(const GlobalOptions& global, const RunOptions& options, plan::Stage stage,
                      const std::string& command, Streams& streams) {
  host::LocalFiles files;
  host::LibGit2 git;
  TRY(const MatrixChoice choice, choose_matrix(files, options.selection.arguments));
  TRY(const Asked asked, read_request(global, options, choice, stage, streams));
  TRY(const auto accepted, parse_accepted(options.accept));
  TRY(PreparedRun run, prepare_run(asked.scope, asked.source, streams));
  RunRequest request{std::move(run.plan), run.gathered.workplace,
                     fmt::format("{} {}", command, shell_quote(choice.path))};
  request.workplace.accepted = accepted;
  request.workplace.token_file = options.token_file;
  request.workplace.on_upload = upload_notes(global, streams);
  request.workplace.mask = [&streams](const Secret& secret) { streams.mask(secret); };
  request.origin = [&] { return origin_of(files, git, run.gathered); };
  return run_plan(global, options, request, streams);
}

}  // namespace pinwheel::cli
