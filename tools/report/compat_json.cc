#include "report/compat_json.h"

#include <nlohmann/json.hpp>

#include "compat/demangle.h"
#include "compat/paragraph.h"

namespace pinwheel::report {
namespace {

using SortedJson = nlohmann::json;

SortedJson or_null(const std::string& text) {
  return text.empty() ? SortedJson() : SortedJson(text);
}

SortedJson or_null(const std::optional<pep::Version>& version) {
  return version ? SortedJson(pep::to_string(*version)) : SortedJson();
}

SortedJson symbol_json(const inspect::WantedSymbol& symbol) {
  return {{"symbol", symbol.name},
          {"name", compat::demangle(symbol.name)},
          {"needed_by", symbol.wanted_by}};
}

SortedJson run_json(const compat::RunResult& run) {
  SortedJson disagreements = SortedJson::array();
  for (const compat::Disagreement& each : run.disagreements) {
    disagreements.push_back({{"member", each.member}, {"error", or_null(each.error)}});
  }
  return {{"state", compat::to_string(run.state)},
          {"evidence", run.evidence},
          {"torch", or_null(run.torch)},
          {"python", or_null(run.python)},
          {"disagreements", std::move(disagreements)}};
}

SortedJson build_json(const compat::BuildVerdict& build, const compat::TorchVerdicts& all) {
  SortedJson missing = SortedJson::array();
  for (const inspect::WantedSymbol& symbol : build.missing) {
    missing.push_back(symbol_json(symbol));
    const auto history = all.histories.find(symbol.name);
    if (history != all.histories.end()) {
      missing.back()["history"] = compat::to_string(history->second);
    }
  }
  SortedJson undecided = SortedJson::array();
  for (const inspect::WantedSymbol& symbol : build.undecided) {
    undecided.push_back(symbol_json(symbol));
  }
  SortedJson absent = SortedJson::array();
  for (const inspect::AbsentLibrary& library : build.needed_unresolved) {
    absent.push_back(library.soname);
  }
  SortedJson out = {{"version", build.build.version},
                    {"arch", build.build.arch},
                    {"pythons", build.pythons},
                    {"loads", build.loads},
                    {"verdict", compat::to_string(build.verdict)},
                    {"missing", std::move(missing)},
                    {"undecided", std::move(undecided)},
                    {"needed_unresolved", std::move(absent)},
                    {"failing", build.failing}};
  if (build.run) out["run"] = run_json(*build.run);
  return out;
}

}  // namespace

std::string compat_json(const compat::Assessment& assessment) {
  SortedJson torch = SortedJson::array();
  for (const compat::BuildVerdict& build : assessment.torch.builds) {
    torch.push_back(build_json(build, assessment.torch));
  }
  SortedJson distributions = SortedJson::array();
  for (const compat::DistributionVerdict& each : assessment.distributions) {
    distributions.push_back({{"name", each.name},
                             {"glibc", each.glibc},
                             {"runs", each.runs},
                             {"reasons", each.reasons}});
  }
  const SortedJson out = {{"schema", 1},
                          {"wheel", assessment.wheel},
                          {"torch", std::move(torch)},
                          {"abi", compat::to_string(assessment.torch.use)},
                          {"minimum_torch", or_null(assessment.torch.minimum)},
                          {"built_with", or_null(assessment.torch.built_with)},
                          {"requires_torch", assessment.requires_torch},
                          {"tags", assessment.tags},
                          {"python", or_null(assessment.python)},
                          {"distributions", std::move(distributions)},
                          {"cuda",
                           {{"runtimes", assessment.cuda.runtimes},
                            {"device_code", assessment.cuda.device_code},
                            {"minimum_driver", or_null(assessment.cuda.minimum_driver)}}},
                          {"pin", or_null(assessment.pin)},
                          {"verdict", compat::paragraph(assessment)}};
  // A foreign wheel may contain any bytes; JSON must be UTF-8.
  return out.dump(2, ' ', false, SortedJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
