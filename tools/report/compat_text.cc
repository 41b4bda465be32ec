#include "report/compat_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/fit_text.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "compat/demangle.h"
#include "compat/gate.h"
#include "compat/paragraph.h"
#include "compat/python_tags.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

std::string pythons_text(const std::vector<std::string>& tags) {
  std::vector<std::string> out;
  out.reserve(tags.size());
  for (const std::string& tag : tags) out.push_back(compat::python_version(tag));
  return join(out, " ");
}

std::string note_on(const compat::BuildVerdict& build, const compat::TorchVerdicts& all) {
  std::vector<std::string> notes;
  if (!build.loads) notes.push_back(compat::why_not(build, all));
  std::vector<std::string> absent;
  for (const inspect::AbsentLibrary& library : build.needed_unresolved) {
    if (!inspect::is_torch_library(library.soname)) absent.push_back(library.soname);
  }
  if (!absent.empty()) notes.push_back(fmt::format("no package provides {}", quoted_list(absent)));
  return join(notes, "; ");
}

bool was_run(const compat::TorchVerdicts& torch) {
  return std::any_of(torch.builds.begin(), torch.builds.end(),
                     [](const compat::BuildVerdict& build) { return build.run.has_value(); });
}

std::string torch_table(const compat::TorchVerdicts& torch, size_t width) {
  if (torch.builds.empty()) return "no known build of torch supports its Pythons\n";
  const bool runs = was_run(torch);
  std::vector<std::vector<std::string>> rows = {{"torch", "python", "loads", "verdict", ""}};
  if (runs) rows[0].insert(rows[0].end() - 1, "run");
  for (const compat::BuildVerdict& build : torch.builds) {
    rows.push_back({build.build.version, pythons_text(build.pythons), build.loads ? "yes" : "no",
                    std::string(compat::to_string(build.verdict)), note_on(build, torch)});
    const std::string words = build.run ? std::string(compat::to_words(build.run->state)) : "";
    if (runs) rows.back().insert(rows.back().end() - 1, words);
  }
  return align_columns(rows, width);
}

std::string run_report(const compat::TorchVerdicts& torch) {
  std::string out;
  for (const compat::BuildVerdict& build : torch.builds) {
    if (!build.run) continue;
    const compat::RunResult& run = *build.run;
    out += fmt::format("with torch {}{}: {}\n", run.torch.empty() ? build.build.version : run.torch,
                       run.python.empty() ? "" : " on Python " + run.python,
                       compat::to_words(run.state));
    for (const std::string& line : split(run.evidence, '\n')) out += "  " + line + "\n";
  }
  return out;
}

/// The missing symbols of the newest incomplete build, by library: users will upgrade to that
/// build. Older ones have a line in the table.
std::string missing_symbols(const compat::TorchVerdicts& torch) {
  const auto lacking =
      std::find_if(torch.builds.rbegin(), torch.builds.rend(),
                   [](const compat::BuildVerdict& build) { return !build.missing.empty(); });
  if (lacking == torch.builds.rend()) return "";
  std::map<std::string, std::set<std::string>> by_library;
  for (const inspect::WantedSymbol& symbol : lacking->missing) {
    for (const std::string& member : symbol.wanted_by) by_library[member].insert(symbol.name);
  }
  constexpr size_t kMost = 20;
  std::string out;
  for (const auto& [library, symbols] : by_library) {
    out += fmt::format("missing on torch {} for {}:\n", lacking->build.version, quoted(library));
    size_t shown = 0;
    for (const std::string& symbol : symbols) {
      if (++shown > kMost) break;
      const auto history = torch.histories.find(symbol);
      out +=
          fmt::format("  {} ({})\n", visible(compat::demangle(symbol)),
                      history == torch.histories.end() ? "" : compat::to_string(history->second));
    }
    if (symbols.size() > kMost) out += fmt::format("  and {} more\n", symbols.size() - kMost);
  }
  return out + "`--json` lists those of every build\n";
}

std::string distribution_table(const std::vector<compat::DistributionVerdict>& distributions,
                               size_t width) {
  std::vector<std::vector<std::string>> rows = {{"distribution", "glibc", "runs", ""}};
  for (const compat::DistributionVerdict& each : distributions) {
    std::string note = each.reasons.empty() ? "" : each.reasons.front();
    if (each.reasons.size() > 1) note += fmt::format(", and {} more", each.reasons.size() - 1);
    rows.push_back(
        {std::string(each.name), std::string(each.glibc), each.runs ? "yes" : "no", note});
  }
  return align_columns(rows, width);
}

std::string cuda_line(const compat::CudaNeeds& cuda) {
  if (cuda.runtimes.empty()) {
    return cuda.device_code ? "cuda: device code, and no shared runtime is needed\n" : "";
  }
  std::vector<std::string> majors;
  for (const int major : cuda.runtimes) majors.push_back(std::to_string(major));
  std::string line = fmt::format("cuda: runtime {}", join(majors, ", "));
  if (!cuda.minimum_driver.empty())
    line += fmt::format(", driver {} or later", cuda.minimum_driver);
  return line + "\n";
}

}  // namespace

std::string compat_text(const compat::Assessment& assessment, size_t width) {
  std::string out = visible(assessment.wheel) + "\n\n" + compat::paragraph(assessment) + "\n\n";
  if (assessment.torch.use != compat::TorchUse::none) {
    out += torch_table(assessment.torch, width) + "\n";
    const std::string missing = missing_symbols(assessment.torch);
    if (!missing.empty()) out += missing + "\n";
  }
  if (was_run(assessment.torch)) out += run_report(assessment.torch) + "\n";
  out += distribution_table(assessment.distributions, width);
  if (!assessment.python.empty()) out += fmt::format("\npython: {}\n", assessment.python);
  return fit_lines(visible_lines(out + cuda_line(assessment.cuda)), width);
}

}  // namespace pinwheel::report
