#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/gather.h"
#include "compat/assessment.h"
#include "compat/gate.h"
#include "host/files.h"
#include "host/inspect_path.h"
#include "host/torch_exports.h"
#include "host/torch_wheel.h"
#include "pep/requirement.h"
#include "report/compat_json.h"
#include "report/compat_text.h"

namespace pinwheel::cli {
namespace {

Result<exports::Table> known_builds(const CompatOptions& options) {
  host::LocalFiles files;
  TRY(exports::Table table, host::torch_exports(user_variables(), files));
  for (const std::string& directory : options.installed) {
    TRY(const exports::Snapshot snapshot, host::read_torch_directory(directory, files));
    table = exports::merge(table, snapshot);
  }
  return table;
}

Result<compat::Beside> beside_of(const CompatOptions& options) {
  compat::Beside beside;
  beside.declared = options.external;
  for (const std::string& file : options.with) {
    TRY(const inspect::WheelFacts other, host::inspect_wheel(file));
    for (compat::BesideLibrary& library : compat::beside_libraries(other)) {
      beside.libraries.push_back(std::move(library));
    }
  }
  return beside;
}

/// Whether a build is meant by "2.13", "2.13.0" or "2.13.0+cpu".
bool is_meant(const exports::Build& build, const std::string& word) {
  if (build.version == word) return true;
  const Result<pep::SpecifierSet> release = pep::parse_specifiers("==" + word + ".*");
  return release && pep::satisfies(compat::release_of(build), *release);
}

/// Leaves the builds that were asked for; a word that means none is an error.
Done choose_builds(const std::vector<std::string>& words,
                   std::vector<compat::BuildVerdict>& builds) {
  if (words.empty()) return {};
  std::vector<std::string> known;
  known.reserve(builds.size());
  for (const compat::BuildVerdict& build : builds) known.push_back(build.build.version);
  for (const std::string& word : words) {
    const bool found = std::any_of(builds.begin(), builds.end(),
                                   [&](const auto& build) { return is_meant(build.build, word); });
    if (found) continue;
    return fail(ErrorKind::usage,
                fmt::format("no known build of torch {} is for this wheel", quoted(word)),
                suggest(word, known));
  }
  std::erase_if(builds, [&words](const compat::BuildVerdict& build) {
    return std::none_of(words.begin(), words.end(),
                        [&](const std::string& word) { return is_meant(build.build, word); });
  });
  return {};
}

/// The clauses of "torch>=2.10" or ">=2.10".
Result<pep::SpecifierSet> parse_range(const std::string& text) {
  const Result<pep::Requirement> requirement = pep::parse_requirement(text);
  if (requirement && requirement->name == "torch") return requirement->specifiers;
  Result<pep::SpecifierSet> clauses = pep::parse_specifiers(text);
  if (clauses) return clauses;
  return fail(ErrorKind::usage, fmt::format("`--require` cannot be {}", quoted(text)),
              "write a range of torch's releases, `torch>=2.10,<2.14`");
}

Done require(const compat::Assessment& assessment, const std::string& range,
             const pep::SpecifierSet& clauses) {
  const compat::GateResult result = compat::gate(assessment.torch, clauses);
  if (result.judged == 0) {
    return fail(ErrorKind::check, fmt::format("no known build of torch in {} is for {}",
                                              quoted(range), quoted(assessment.wheel)));
  }
  if (result.findings.empty()) return {};
  Error error{ErrorKind::check,
              fmt::format("{} does not load on {} of {} in {}", quoted(assessment.wheel),
                          result.findings.size(), plural(result.judged, "build"), quoted(range))};
  for (const inspect::Finding& finding : result.findings) {
    error.causes.push_back(inspect::to_error(finding));
  }
  return fail(std::move(error));
}

}  // namespace

Result<int> cmd_compat(const GlobalOptions& /*global*/, const CompatOptions& options,
                       Streams& streams) {
  TRY(const pep::SpecifierSet range, parse_range(options.require));
  TRY(const inspect::WheelFacts facts, host::inspect_wheel(options.wheel));
  TRY(const compat::Beside beside, beside_of(options));
  TRY(const exports::Table table, known_builds(options));
  compat::Assessment assessment = compat::assess(facts, table, beside);
  TRY_DONE(choose_builds(options.torch, assessment.torch.builds));
  streams.data(options.json ? report::compat_json(assessment) : report::compat_text(assessment));
  if (!options.require.empty()) TRY_DONE(require(assessment, options.require, range));
  return 0;
}

}  // namespace pinwheel::cli
