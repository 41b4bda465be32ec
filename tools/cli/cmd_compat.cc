#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/compat_run.h"
#include "cli/torch_range.h"
#include "cli/wheel_argument.h"
#include "compat/assessment.h"
#include "compat/gate.h"
#include "compat/run_choice.h"
#include "host/system/process.h"
#include "host/torch/torch_exports.h"
#include "host/torch/torch_site.h"
#include "host/torch/torch_wheel.h"
#include "host/wheels/inspect_path.h"
#include "inspect/needed_library.h"
#include "prepare/host.h"
#include "report/compat_json.h"
#include "report/compat_text.h"

namespace pinwheel::cli {
namespace {

/// The builds that symbols are checked against, and which of them are installed here.
struct KnownTorches {
  exports::Table table;
  std::vector<compat::InstalledTorch> installed = {};
};

/// The site-packages for a directory or a Python.
Result<std::filesystem::path> site_of(const prepare::Host& host, const std::string& place,
                                      Streams& streams) {
  if (host.files.type_behind(place) == ports::FileType::directory)
    return host::torch_site(place, host.files);
  const prepare::OpenMachine machine = host.machine(prepare::outside_run(host, streams.log()));
  return host::torch_site_of(place, machine->process, host.variables);
}

Result<KnownTorches> known_builds(const prepare::Host& host, const CompatOptions& options,
                                  Streams& streams) {
  KnownTorches known;
  TRY(known.table, host::torch_exports(host.variables, host.files));
  for (const std::string& place : options.installed) {
    TRY(const std::filesystem::path site, site_of(host, place, streams));
    TRY(const exports::Snapshot snapshot, host::read_torch_directory(site, host.files));
    known.table = exports::merge(known.table, snapshot);
    known.installed.push_back({snapshot.build, (host.directory / site).string()});
  }
  return known;
}

Result<compat::Companions> companions_of(const CompatOptions& options) {
  compat::Companions companions;
  companions.declared = options.external;
  for (const std::string& file : options.with) {
    TRY(const inspect::WheelFacts other, host::inspect_wheel({file}));
    TRY_DONE(compat::check_assessable(other));
    if (other.name) companions.wheels.push_back(other.name->tags);
    for (compat::CompanionLibrary& library : compat::companion_libraries(other)) {
      companions.libraries.push_back(std::move(library));
    }
  }
  return companions;
}

/// Keeps the requested builds; a word that matches none is an error.
Done choose_builds(const std::vector<std::string>& words,
                   std::vector<compat::BuildVerdict>& builds) {
  if (words.empty()) return {};
  std::vector<std::string> known;  // newest first, because only a few are shown
  for (auto build = builds.rbegin(); build != builds.rend(); ++build) {
    const std::string& version = build->build.version;
    if (known.empty() || known.back() != version) known.push_back(version);
  }
  for (const std::string& word : words) {
    const bool found = std::any_of(builds.begin(), builds.end(), [&](const auto& build) {
      return compat::is_meant(build.build, word);
    });
    if (found) continue;
    return fail(ErrorKind::usage,
                fmt::format("no known build of torch {} is for this wheel", quoted(word)),
                suggest(word, known));
  }
  std::erase_if(builds, [&words](const compat::BuildVerdict& build) {
    return std::none_of(words.begin(), words.end(), [&](const std::string& word) {
      return compat::is_meant(build.build, word);
    });
  });
  return {};
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

/// Combines several failures into one error of the kind of the first.
Error joined(std::vector<Error> failures) {
  if (failures.size() == 1) return std::move(failures.front());
  Error all{failures.front().kind, fmt::format("{} failed", plural(failures.size(), "run"))};
  all.causes = std::move(failures);
  return all;
}

int interrupted_by(int signal, Streams& streams) {
  constexpr int kSignalled = 128;
  streams.error({ErrorKind::interrupted, "the run was interrupted"});
  return kSignalled + signal;
}

/// Wheels that no Python can install together cannot be checked together.
Done check_together(const CompatOptions& options, const inspect::WheelFacts& facts,
                    const compat::TorchVerdicts& torch) {
  if (options.with.empty() || !torch.builds.empty()) return {};
  return fail(
      ErrorKind::usage,
      fmt::format(
          "no Python of any known torch can install {} together with the wheels of `--with`",
          quoted(facts.file_name)),
      "pass wheels for the same Python and architecture");
}

void warn_of_externals(const CompatOptions& options, const inspect::WheelFacts& facts,
                       const compat::Companions& companions, Streams& streams) {
  std::set<std::string> needed = inspect::needed_names(facts.libraries);
  for (const compat::CompanionLibrary& library : companions.libraries) {
    needed.insert(library.needed.begin(), library.needed.end());
  }
  for (const Error& warning : inspect::unmatched_patterns("--external", options.external, needed)) {
    streams.warn(warning);
  }
}

Done check_options(const CompatOptions& options) {
  if (options.run || options.smoke.empty()) return {};
  return fail(ErrorKind::usage, "`--smoke` needs `--run`",
              "run `pinwheel compat WHEEL --run --smoke COMMAND`");
}

}  // namespace

Result<int> cmd_compat(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                       const CompatOptions& options, Streams& streams) {
  TRY_DONE(check_options(options));
  TRY(const pep::SpecifierSet range, parse_torch_range("--require", options.require));
  TRY(const FileArgument argument, open_argument(host, options.wheel, streams));
  TRY(const inspect::WheelFacts facts, host::inspect_wheel(argument.input));
  TRY_DONE(compat::check_assessable(facts));
  TRY(const compat::Companions companions, companions_of(options));
  TRY(KnownTorches known, known_builds(host, options, streams));
  warn_of_externals(options, facts, companions, streams);
  compat::Assessment assessment = compat::assess(facts, known.table, companions);
  TRY_DONE(check_together(options, facts, assessment.torch));
  TRY_DONE(choose_builds(options.torch, assessment.torch.builds));
  RunOutcome outcome;
  if (options.run) {
    compat::RunWish wish{options.torch, std::move(known.installed)};
    if (!options.require.empty()) wish.range = range;
    TRY(outcome, run_wheel(host, {options, argument.input.path, facts, companions, std::move(wish)},
                           assessment.torch, streams));
    if (outcome.signal != 0) return interrupted_by(outcome.signal, streams);
  }
  if (options.json) {
    streams.json(report::compat_json(assessment));
  } else {
    streams.data(report::compat_text(assessment, streams.data_columns()));
  }
  if (!options.require.empty()) TRY_DONE(require(assessment, options.require, range));
  if (!outcome.failures.empty()) return fail(joined(std::move(outcome.failures)));
  return 0;
}

}  // namespace pinwheel::cli
