#include "host/steps/after_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "compat/judge_on.h"
#include "compat/torch_bounds.h"
#include "compat/wheel_policy.h"
#include "env/arch_list.h"
#include "exports/table.h"
#include "host/steps/build_command.h"
#include "host/steps/operators_check.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "host/system/log_tail.h"
#include "host/torch/torch_exports.h"
#include "inspect/build_trace.h"
#include "inspect/expectations.h"
#include "inspect/gather.h"
#include "inspect/rules.h"
#include "pep/specifier.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostLog = uint64_t{32} << 20U;
constexpr uint64_t kMostCommands = uint64_t{4} << 20U;
constexpr size_t kMostFiles = 200'000;

bool has_commands(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"build.ninja", "flags.make",
                                                      "compile_commands.json"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

struct LeftFiles {
  bool objects = false;
  std::vector<std::string> commands = {};
};

/// Nothing here is required: unreadable files are skipped.
void look_below(const fs::path& directory, LeftFiles& left) {
  LocalFiles files;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  size_t seen = 0;
  for (fs::recursive_directory_iterator at(directory, options, error), end;
       !error && at != end && ++seen < kMostFiles; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || at->is_symlink(ignored)) continue;
    left.objects = left.objects || name.ends_with(".o");
    if (!has_commands(name) || at->file_size(ignored) > kMostCommands) continue;
    if (Result<std::string> text = files.read(at->path())) {
      left.commands.push_back(*std::move(text));
    }
  }
}

/// How the code of a finished build was made, according to its log and the files below its scratch
/// directory: objects, and files with the commands of build tools.
inspect::BuildTrace trace_of_build(const fs::path& scratch, const fs::path& log) {
  LeftFiles left;
  for (const char* const name : {kSourceName, "tmp"}) look_below(scratch / name, left);
  inspect::BuildTrace trace = inspect::build_trace(log_tail(log, kMostLog), left.commands);
  trace.compiled = trace.compiled || left.objects;
  return trace;
}

/// Judges the wheels of a build by the known releases of torch.
struct TorchJudges {
  inspect::SymbolsJudge symbols = {};
  inspect::WheelJudge bounds = {};
};

void write_log_line(const StepContext& context, const std::string& text) {
  append_log(context, fmt::format("undefined-symbols: {}\n", text));
}

/// The checks of the rules `undefined-symbols` and `torch-bounds` for the wheels of a build. The
/// symbols are checked against every known build of the torch that the matrix declares, of that
/// minor release, or of all since the Stable ABI's target. An unknown torch is not checked, which
/// is logged. Empty for a build without torch. The result refers to `context`. Errors are those of
/// the table.
Result<TorchJudges> torch_judges(const StepContext& context, const plan::BuildWheel& action) {
  if (action.torch_abi == matrix::TorchAbi::none || action.torch.empty()) return TorchJudges{};
  matrix::Abi abi;
  abi.torch = action.torch_abi;
  abi.torch_stable = action.torch_target;
  const std::optional<pep::SpecifierSet> range = compat::declared_torch(abi, action.torch);
  if (!range) {
    write_log_line(context,
                   fmt::format("torch {} is not a release; not checked", quoted(action.torch)));
    return TorchJudges{};
  }
  const EnvMachine& machine = host_of(context.machine);
  TRY(exports::Table read, torch_exports(machine.variables, machine.files));
  const auto table = std::make_shared<const exports::Table>(std::move(read));
  return TorchJudges{
      compat::judge_on(table, *range,
                       [&context](const std::string& text) { write_log_line(context, text); }),
      compat::judge_torch_bounds(table)};
}

/// Only the build's log shows the source of its architectures.
std::vector<inspect::Finding> with_arch_list_hint(std::vector<inspect::Finding> findings,
                                                  const fs::path& log) {
  constexpr uint64_t kTail = 1 << 20;
  for (inspect::Finding& finding : findings) {
    if (finding.rule != "device-code") continue;
    std::string hint = env::arch_list_hint(log_tail(log, kTail));
    if (!hint.empty()) finding.hint = std::move(hint);
  }
  return findings;
}

/// The failures, then the findings that would not have stopped the build.
Error as_error(const fs::path& wheel, const std::vector<inspect::Finding>& failures,
               const std::vector<inspect::Finding>& warnings) {
  Error error{ErrorKind::check, fmt::format("{} violates {}", quoted(wheel.filename().string()),
                                            plural(failures.size(), "rule"))};
  for (const inspect::Finding& finding : failures)
    error.causes.push_back(inspect::to_error(finding));
  for (const inspect::Finding& finding : warnings) {
    Error& cause = error.causes.emplace_back(inspect::to_error(finding));
    cause.message = "warning: " + cause.message;
  }
  return error;
}

void log_findings(const StepContext& context, const fs::path& wheel, std::string_view severity,
                  const std::vector<inspect::Finding>& findings) {
  for (const inspect::Finding& finding : findings) {
    append_log(context, fmt::format("{}: {}: {}\n", severity, quoted(wheel.filename().string()),
                                    join(inspect::to_lines({finding}), "")));
  }
}

std::vector<inspect::Finding> without(std::vector<inspect::Finding> findings,
                                      const std::vector<inspect::Finding>& what) {
  std::erase_if(findings, [&what](const inspect::Finding& finding) {
    return std::find(what.begin(), what.end(), finding) != what.end();
  });
  return findings;
}

}  // namespace

Result<std::vector<inspect::Finding>> check_after(
    const StepContext& context, const plan::BuildWheel& action, const BuildSite& site,
    const wheel::Naming& naming, const fs::path& finished, const std::string& added) {
  const std::vector<matrix::Check>& checks = action.settings.checks.after;
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(finished));
  TRY(const inspect::WheelFacts facts, inspect::gather(finished.filename().string(), *source));
  TRY(compat::WheelPolicy policy, compat::wheel_policy(action.settings, action.compute));
  policy.expected.build = trace_of_build(context.attempt.scratch, context.attempt.log);
  policy.expected.added_requirement = added;
  policy.expected.distribution = naming.distribution;
  policy.expected.version = naming.version;
  policy.expected.build_number = naming.build;
  TRY(TorchJudges judges, torch_judges(context, action));
  policy.expected.judge_symbols = std::move(judges.symbols);
  policy.expected.judge_bounds = std::move(judges.bounds);
  TRY(const std::vector<inspect::Finding> findings,
      inspect::check(facts, policy.expected, policy.rules));
  const std::vector<inspect::Finding> failures =
      with_arch_list_hint(inspect::failures(findings, policy.strict), context.attempt.log);
  const std::vector<inspect::Finding> warnings =
      without(findings, inspect::failures(findings, policy.strict));
  log_findings(context, finished, "error", failures);
  log_findings(context, finished, "warning", warnings);
  if (!failures.empty()) return fail(as_error(finished, failures, warnings));
  if (const matrix::Check* const operators = compat::find_check(checks, "operators")) {
    TRY_DONE(check_operators(context, action, site, {finished, naming}, operators->arguments));
  }
  return warnings;
}

}  // namespace pinwheel::host
