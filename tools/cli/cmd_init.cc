#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/prove.h"
#include "init/decide.h"
#include "init/identity.h"
#include "init/matrix_text.h"
#include "matrix/compute_name.h"
#include "matrix/parse.h"
#include "pep/name.h"
#include "pep/python_version.h"
#include "pep/version.h"
#include "prepare/host.h"
#include "prepare/init_facts.h"
#include "prepare/load.h"
#include "prepare/sdist_source.h"
#include "prepare/workplace.h"
#include "report/init_json.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

fs::path project_directory(const prepare::Host& host, const InitOptions& options) {
  return host.at(fs::path(options.directory) / ".");
}

/// Where the matrix goes without `--out`. A new directory `matrix/` must not end the discovery of
/// packages; an sdist from an index is not in this directory, and an existing `matrix/` changes
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

/// Where the matrix goes; empty for stdout.
std::string destination(const InitOptions& options, const init::ProjectFacts& facts) {
  if (options.out == kStdout) return {};
  if (!options.out.empty()) return options.out;
  return default_place(options, facts).lexically_normal().string();
}

/// The facts with the paths that lead from the matrix file to the project and to its releases.
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
    return fail(ErrorKind::usage,
                fmt::format("{} is no minor release", quoted(fmt::format("{} {}", option, value))),
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

/// `usage` if there is such a file already; nothing is overwritten.
Done check_absent(ports::Files& files, const std::string& path) {
  if (path.empty()) return {};
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type == ports::FileType::missing) return {};
  return fail(ErrorKind::usage,
              fmt::format("{} exists, and `init` overwrites nothing", quoted(path)),
              "remove it, name another file by `--out FILE`, or print the matrix by `--out -`");
}

/// Builds a wheel, and tells what it proved.
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

void tell_left_out(const std::vector<init::LeftOut>& left_out, Streams& streams) {
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
  // A draft that the reader refuses must not become a file.
  TRY_DONE(matrix::parse(text, path.empty() ? "the matrix" : path));
  if (path.empty()) {
    streams.file(text);
  } else {
    TRY_DONE(host.files.write(path, text));
    if (options.json) streams.json(report::init_json(facts, decision, path));
  }
  tell_left_out(decision.draft.left_out, streams);
  if (!path.empty()) {
    streams.note(fmt::format("wrote {}: {} shows its variants\n", shell_quote(path),
                             quoted("pinwheel plan " + shell_quote(path))));
  }
  return 0;
}

}  // namespace pinwheel::cli
