#include "cli/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/text.h"
#include "compat/proven_abi.h"
#include "host/machine/ignored_directory.h"
#include "host/provision/machine_interpreter.h"
#include "host/torch/torch_exports.h"
#include "host/wheels/inspect_path.h"
#include "init/matrix_text.h"
#include "init/pythons.h"
#include "pep/name.h"
#include "plan/built_wheel.h"
#include "plan/outcome.h"
#include "plan/step_id.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/one_variant.h"
#include "prepare/workplace.h"
#include "project/limited_api.h"
#include "session/run_plan.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// The first variant without a toolkit whose Python is here.
Result<std::string> variant_to_build(const prepare::Host& host,
                                     const prepare::GlobalOptions& global, const std::string& file,
                                     Streams& streams) {
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(host.files, file, streams, prepare::Warnings::tell));
  TRY(const host::Workplace workplace,
      prepare::make_workplace(host, {global, loaded, {}, {}}, streams.log()));
  const prepare::OpenMachine local = host.machine(workplace);
  std::vector<std::string> pythons;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    const std::string& python = variant.get("python");
    const std::string& compute = variant.get("compute");
    if (!compute.empty() && compute != "cpu") continue;
    if (host::interpreter_for(*local, python)) return variant.id;
    if (std::ranges::find(pythons, python) == pythons.end()) pythons.push_back(python);
  }
  return fail(
      ErrorKind::environment,
      fmt::format("this machine has none of the project's Pythons: {}", join(pythons, ", ")),
      "install one of them, or leave out `--prove`");
}

/// The error of a build that left no wheel. Its status and its log were told already.
Error not_built(const plan::Report& report, const plan::StepOutcome& failed) {
  Error error{failed.error ? failed.error->kind : ErrorKind::interrupted,
              fmt::format("no matrix is written: {} is to prove it, and {}", quoted(failed.id),
                          report.signal != 0 ? "was interrupted" : "failed")};
  if (!failed.log.empty()) error.hint = fmt::format("its log is {}; ", quoted(failed.log));
  error.hint += "without `--prove`, `init` only reads the project's files";
  return error;
}

/// Builds the variant; returns the finished wheel.
Result<fs::path> build_variant(const prepare::Host& host, const prepare::GlobalOptions& global,
                               const std::string& file, const std::string& variant,
                               Streams& streams) {
  const std::vector<std::string> arguments = {file, variant};
  const prepare::LevelOptions levels;
  const std::string command = "init --prove";
  TRY(prepare::PreparedRun run,
      prepare::prepare_variant(host, global,
                               {command, arguments, levels, plan::Stage::build,
                                prepare::locks_or_indexes(prepare::UseLocks::no)},
                               streams));
  const session::RunRequest request{std::move(run.plan), run.gathered.workplace, command};
  TRY(const report::RunReport ran,
      session::carry_out(host, global, prepare::RunOptions{}, request, streams));
  const plan::StepOutcome* wheel = nullptr;
  for (const plan::StepOutcome& outcome : ran.report.outcomes) {
    const bool missing = outcome.error || outcome.state == plan::StepState::interrupted;
    if (missing) return fail(not_built(ran.report, outcome));
    if (plan::kind_of_step(outcome.id) == plan::StepKind::build && !outcome.outputs.empty())
      wheel = &outcome;
  }
  if (wheel == nullptr) {
    return fail(ErrorKind::internal, fmt::format("building {} left no wheel", quoted(variant)));
  }
  return fs::path(global.output_dir) / wheel->outputs[0].path;
}

/// What would make the wheel serve more Pythons than its tags say.
std::vector<init::LeftOut> wider_note(const compat::ProvenAbi& proven, project::Backend backend) {
  if (!proven.wider) return {};
  const std::string& value = proven.wider->value;
  std::string fix = project::no_abi_fix(backend);
  if (value != "none") {
    const std::string minor = value.substr(value.find('.') + 1);
    fix = project::limited_api_fix(backend, std::atoi(minor.c_str()));
  }
  return {
      {quoted(fmt::format("abi: {{python: {}}}", value)),
       fmt::format("the wheel is for one Python, although {}; for one wheel that serves more, {}",
                   proven.wider->because, fix)}};
}

/// The minor release of the oldest Python of a draft: they are ascending.
int oldest_python(const init::MatrixDraft& draft) {
  for (const init::MatrixLine& line : draft.lines) {
    const auto* const values = std::get_if<std::vector<std::string>>(&line.value);
    if (line.key != "axes.python" || values == nullptr || values->empty()) continue;
    return std::atoi(values->front().c_str() + values->front().find('.') + 1);
  }
  return 0;
}

Result<init::Proof> proof_by(const prepare::Host& host, const fs::path& wheel,
                             const UnprovenMatrix& matrix) {
  const init::ProjectFacts& facts = matrix.facts;
  TRY(const inspect::WheelFacts found, host::inspect_wheel({wheel}));
  if (!found.name) {
    return fail(ErrorKind::check, fmt::format("{} is not a wheel's name", quoted(found.file_name)));
  }
  const std::string claimed = plan::python_abi_of(found.name->tags);
  TRY(const compat::ProvenAbi python,
      compat::prove_python_abi(found, claimed, oldest_python(matrix.decision.draft)));
  TRY(const exports::Table table, host::torch_exports(host.variables, host.files));
  const compat::ProvenAbi torch = compat::prove_torch_abi(compat::evaluate(found, table));
  const std::string by = fmt::format("proven with {}: ", quoted(found.file_name));
  const bool limited = python.value.starts_with("limited(");
  const std::string limit = limited ? python.value.substr(8, python.value.size() - 9) : "";
  return init::Proof{
      found.file_name,
      {python.value, limit, by + python.because, wider_note(python, init::backend(facts))},
      torch.value,
      by + torch.because};
}

}  // namespace

Result<init::Proof> prove_abi(const prepare::Host& host, const prepare::GlobalOptions& global,
                              const UnprovenMatrix& matrix, Streams& streams) {
  const fs::path state = host.at(global.state_dir);
  TRY_DONE(host::make_ignored_directory(host.files, state));
  const fs::path place = state / "prove";
  const fs::path file = place / (pep::normalize_name(matrix.decision.name) + ".yaml");
  const init::MatrixDraft draft = init::draft_to_prove(matrix.decision.draft, matrix.directory);
  TRY_DONE(host.files.write(file, init::matrix_text(draft)));
  prepare::GlobalOptions aside = global;
  aside.output_dir = (place / "dist").string();
  TRY(const std::string variant, variant_to_build(host, aside, file.string(), streams));
  streams.note(fmt::format("building {} of this project, to determine the ABI of its wheel\n",
                           quoted(variant)));
  TRY(const fs::path wheel, build_variant(host, aside, file.string(), variant, streams));
  return proof_by(host, wheel, matrix);
}

}  // namespace pinwheel::cli
