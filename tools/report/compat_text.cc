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

/// A line of the table of torch: builds with the same verdict, from the oldest to the newest.
struct TorchRow {
  std::string first;
  std::string last;
  std::string pythons;
  std::string loads;
  std::string verdict;
  std::string run;  ///< empty: not run
  std::string what = {};
  size_t least = 0;  ///< the symbols that are missing, too: on the build with the fewest
  size_t most = 0;
  std::string unprovided = {};
};

std::string unprovided_libraries(const compat::BuildVerdict& build) {
  std::vector<std::string> absent;
  for (const inspect::AbsentLibrary& library : build.needed_unresolved) {
    if (!inspect::is_torch_library(library.soname)) absent.push_back(library.soname);
  }
  return absent.empty() ? "" : fmt::format("no package provides {}", quoted_list(absent));
}

TorchRow row_of(const compat::BuildVerdict& build, const compat::TorchVerdicts& all) {
  const compat::Obstacle obstacle = compat::obstacle_on(build, all);
  return {.first = build.build.version,
          .last = build.build.version,
          .pythons = pythons_text(build.pythons),
          .loads = build.loads ? "yes" : "no",
          .verdict = std::string(compat::to_string(build.verdict)),
          .run = build.run ? std::string(compat::to_words(build.run->state)) : "",
          .what = obstacle.what,
          .least = obstacle.others,
          .most = obstacle.others,
          .unprovided = unprovided_libraries(build)};
}

/// Whether two neighbors say the same. A build that was run has a line of its own.
bool belong_together(const TorchRow& a, const TorchRow& b) {
  return a.run.empty() && b.run.empty() && a.pythons == b.pythons && a.loads == b.loads &&
         a.verdict == b.verdict && a.what == b.what && a.unprovided == b.unprovided;
}

std::vector<TorchRow> rows_of(const compat::TorchVerdicts& torch, TorchRows detail) {
  std::vector<TorchRow> rows;
  for (const compat::BuildVerdict& build : torch.builds) {
    TorchRow row = row_of(build, torch);
    const bool joins = detail == TorchRows::grouped && !rows.empty();
    if (!joins || !belong_together(rows.back(), row)) {
      rows.push_back(std::move(row));
      continue;
    }
    rows.back().last = row.last;
    rows.back().least = std::min(rows.back().least, row.least);
    rows.back().most = std::max(rows.back().most, row.most);
  }
  return rows;
}

std::string note_of(const TorchRow& row) {
  std::vector<std::string> notes;
  if (!row.what.empty()) {
    notes.push_back(row.what);
    if (row.most > 0) {
      notes.back() += row.least == row.most
                          ? fmt::format(", and {} more", row.most)
                          : fmt::format(", and {} to {} more", row.least, row.most);
    }
  }
  if (!row.unprovided.empty()) notes.push_back(row.unprovided);
  return join(notes, "; ");
}

bool was_run(const compat::TorchVerdicts& torch) {
  return std::any_of(torch.builds.begin(), torch.builds.end(),
                     [](const compat::BuildVerdict& build) { return build.run.has_value(); });
}

std::string torch_table(const compat::TorchVerdicts& torch, TorchRows detail, size_t width) {
  if (torch.builds.empty()) return "no known build of torch supports its Pythons\n";
  const bool runs = was_run(torch);
  std::vector<std::vector<std::string>> rows = {{"torch", "python", "loads", "verdict", ""}};
  if (runs) rows[0].insert(rows[0].end() - 1, "run");
  for (const TorchRow& row : rows_of(torch, detail)) {
    const std::string versions =
        row.first == row.last ? row.first : fmt::format("{} to {}", row.first, row.last);
    rows.push_back({versions, row.pythons, row.loads, row.verdict, note_of(row)});
    if (runs) rows.back().insert(rows.back().end() - 1, row.run);
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

std::string compat_text(const compat::Assessment& assessment, TorchRows torch_rows, size_t width) {
  std::string out = visible(assessment.wheel) + "\n\n" + compat::paragraph(assessment) + "\n\n";
  if (assessment.torch.use != compat::TorchUse::none) {
    out += torch_table(assessment.torch, torch_rows, width) + "\n";
    const std::string missing = missing_symbols(assessment.torch);
    if (!missing.empty()) out += missing + "\n";
  }
  if (was_run(assessment.torch)) out += run_report(assessment.torch) + "\n";
  out += distribution_table(assessment.distributions, width);
  if (!assessment.python.empty()) out += fmt::format("\npython: {}\n", assessment.python);
  return fit_lines(visible_lines(out + cuda_line(assessment.cuda)), width);
}

}  // namespace pinwheel::report
