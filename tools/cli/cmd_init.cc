#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "compat/proven_abi.h"
#include "host/machine/ignored_directory.h"
#include "host/provision/interpreters.h"
#include "host/torch/torch_exports.h"
#include "host/wheels/inspect_path.h"
#include "init/decide.h"
#include "init/identity.h"
#include "init/matrix_text.h"
#include "init/project_facts.h"
#include "init/pythons.h"
#include "matrix/compute_name.h"
#include "matrix/parse.h"
#include "pep/name.h"
#include "pep/python_version.h"
#include "pep/version.h"
#include "plan/built_wheel.h"
#include "plan/outcome.h"
#include "plan/step_id.h"
#include "prepare/build_facts.h"
#include "prepare/host.h"
#include "prepare/init_facts.h"
#include "prepare/load.h"
#include "prepare/read_scope.h"
#include "prepare/workplace.h"
#include "project/limited_api.h"
#include "report/init_json.h"
#include "session/run_plan.h"

namespace pinwheel::cli {
namespace {

/// The project to prove a matrix for, and the draft from its files.
struct UnprovenMatrix {
  const init::ProjectFacts& facts;
  const init::Decision& decision;
  std::string directory;  ///< of the project; empty if it is an sdist
};

namespace fs = std::filesystem;

/// The first variant without a toolkit whose Python this machine has.
Result<std::string> variant_to_build(const prepare::Host& host,
                                     const prepare::GlobalOptions& global, const std::string& file,
                                     Streams& streams) {
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(host.files, file, streams, prepare::Warnings::print));
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

/// The error of a build that made no wheel. Its status and its log were already printed.
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
      session::execute_run(host, global, prepare::RunOptions{}, request, streams));
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

/// The change with which the wheel would serve more Pythons than its tags allow.
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

/// The minor release of the oldest Python of a draft, whose Pythons are ascending.
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

/// Builds the first variant of the draft whose Python this machine has, in the state directory, and
/// finds the widest `abi` that its wheel supports. Runs code of the project. The status of the
/// build goes to stderr; if it fails, its exit code is that of the error. `environment` if this
/// machine has none of the Pythons; `check` if the wheel needs more than its tags state.
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

fs::path project_directory(const prepare::Host& host, const InitOptions& options) {
  return host.at(fs::path(options.directory) / ".");
}

/// The path of the matrix without `--out`. A new directory `matrix/` must not break the discovery
/// of packages. An sdist from an index is not in this directory, and an existing `matrix/` changes
/// nothing.
fs::path default_place(const InitOptions& options, const init::ProjectFacts& facts) {
  const bool new_directory =
      std::ranges::find(facts.top_level, prepare::kMatrixDirectory) == facts.top_level.end();
  if (options.from.empty() && new_directory && init::has_flat_discovery(facts)) {
    return fs::path(options.directory) / prepare::kMatrixFile;
  }
  const std::string name = pep::normalize_name(init::choose_identity(facts).name);
  return fs::path(options.directory) / prepare::kMatrixDirectory / (name + ".yaml");
}

/// The path of the matrix; empty for stdout.
std::string destination(const InitOptions& options, const init::ProjectFacts& facts) {
  if (options.out == kStdout) return {};
  if (!options.out.empty()) return options.out;
  return default_place(options, facts).lexically_normal().string();
}

/// The facts with relative paths from the matrix file to the project and to its releases.
init::ProjectFacts with_paths(const prepare::Host& host, init::ProjectFacts facts,
                              const InitOptions& options) {
  const bool named = !options.out.empty() && options.out != kStdout;
  const fs::path file = named ? fs::path(options.out) : default_place(options, facts);
  const fs::path directory = host.at(file.parent_path() / ".");
  const fs::path project = project_directory(host, options);
  facts.published = (project / "dist" / "index").lexically_relative(directory).string();
  if (!options.from.empty()) return facts;
  facts.source = project.lexically_relative(directory).string();
  if (facts.source.size() > 1 && facts.source.ends_with('/')) facts.source.pop_back();
  return facts;
}

/// The values of an option that takes "3.12" or "2.13", ascending; "3.14t" is a Python, too.
Result<std::vector<std::string>> releases_of(const char* option, std::vector<std::string> values) {
  const auto number = [](const std::string& text) {
    return pep::parse_version(text.ends_with('t') ? text.substr(0, text.size() - 1) : text);
  };
  const bool torch = std::string_view(option) == "--torch";
  for (const std::string& value : values) {
    const bool known = torch ? number(value).has_value() : pep::is_python_version(value);
    if (split(value, '.').size() == 2 && known) continue;
    return fail(
        ErrorKind::usage,
        fmt::format("{} is not a minor release", quoted(fmt::format("{} {}", option, value))),
        torch   ? "write its first two numbers, `2.13`"
        : known ? "write its first two numbers, `3.12`"
                : pep::python_version_hint(value));
  }
  std::ranges::sort(values, [&](const std::string& a, const std::string& b) {
    return number(a).value() < number(b).value();
  });
  return values;
}

Result<std::vector<std::string>> computes_of(const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    const Done known = matrix::check_compute(value, {}, {});
    if (known) continue;
    return fail(ErrorKind::usage, fmt::format("`--compute`: {}", known.error().message),
                known.error().hint);
  }
  return values;
}

Result<init::ProjectFacts> gather_facts(const prepare::Host& host, const InitOptions& options,
                                        Streams& streams) {
  TRY(std::vector<std::string> pythons, releases_of("--python", options.pythons));
  TRY(std::vector<std::string> computes, computes_of(options.computes));
  TRY(std::vector<std::string> torches, releases_of("--torch", options.torches));
  init::ProjectFacts facts;
  if (options.from.empty()) {
    TRY(facts, prepare::read_project(host, options.directory));
  } else {
    host::Workplace place;
    place.log = streams.log();
    place.variables = host.variables;
    place.mask = [&streams](const Secret& secret) { streams.mask(secret); };
    TRY(place.cache, prepare::cache_directory(host));
    TRY(const plan::Source sdist, prepare::sdist_source(host, options.from, place));
    TRY(facts, prepare::read_project(host, sdist.directory));
    facts.requirement = options.from;
  }
  TRY(facts.torches, prepare::known_torches(host.variables, host.files));
  facts.wanted_pythons = std::move(pythons);
  facts.wanted_computes = std::move(computes);
  facts.wanted_torches = std::move(torches);
  return with_paths(host, std::move(facts), options);
}

/// `usage` if the file exists; nothing is overwritten.
Done check_absent(ports::Files& files, const std::string& path) {
  if (path.empty()) return {};
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type == ports::FileType::missing) return {};
  return fail(ErrorKind::usage,
              fmt::format("{} exists, and `init` overwrites nothing", quoted(path)),
              "remove it, name another file by `--out FILE`, or print the matrix by `--out -`");
}

/// Builds a wheel, and reports the `abi` that it proves.
Result<init::Proof> proof_of(const prepare::Host& host, const prepare::GlobalOptions& global,
                             const InitOptions& options, const init::ProjectFacts& facts,
                             const init::Decision& decision, Streams& streams) {
  const std::string directory =
      options.from.empty() ? project_directory(host, options).string() : std::string();
  TRY(init::Proof proof, prove_abi(host, global, {facts, decision, directory}, streams));
  streams.note(
      fmt::format("`abi.python` is {}: {}\n", quoted(proof.python.value), proof.python.because));
  return proof;
}

void print_left_out(const std::vector<init::LeftOut>& left_out, Streams& streams) {
  if (left_out.empty()) return;
  std::string text = "not adopted, also listed at the end of the file:\n";
  for (const init::LeftOut& one : left_out) {
    text += fmt::format("  {}\n    {}\n", one.what, replace_all(one.why, "\n", "\n    "));
  }
  streams.note(text);
}

}  // namespace

Result<int> cmd_init(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const InitOptions& options, Streams& streams) {
  if (options.json && options.out == kStdout) {
    return fail(ErrorKind::usage, "`--json` and `--out -` both print to stdout",
                "write the matrix to a file, or leave out one of them");
  }
  TRY(const init::ProjectFacts facts, gather_facts(host, options, streams));
  init::Decision decision = init::decide(facts);
  const std::string path = destination(options, facts);
  TRY_DONE(check_absent(host.files, path));
  if (options.prove) {
    TRY(const init::Proof proof, proof_of(host, global, options, facts, decision, streams));
    decision = init::decide(facts, proof);
  }
  const std::string text = init::matrix_text(decision.draft);
  // A draft that the parser rejects must not become a file.
  TRY_DONE(matrix::parse(text, path.empty() ? "the matrix" : path));
  if (path.empty()) {
    streams.file(text);
  } else {
    TRY_DONE(host.files.write(path, text));
    if (options.json) streams.json(report::init_json(facts, decision, path));
  }
  print_left_out(decision.draft.left_out, streams);
  if (!path.empty()) {
    streams.note(fmt::format("wrote {}: {} shows its variants\n", shell_quote(path),
                             quoted("pinwheel plan " + shell_quote(path))));
  }
  return 0;
}

}  // namespace pinwheel::cli
