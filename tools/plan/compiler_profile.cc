#include "plan/compiler_profile.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "plan/command_kind.h"

namespace pinwheel::plan {
namespace {

/// In microseconds, by the name of the part.
using PartTimes = std::map<std::string, double>;

std::vector<CommandPart> longest_parts(const PartTimes& times) {
  std::vector<CommandPart> parts;
  parts.reserve(times.size());
  for (const auto& [name, micros] : times) {
    // A century; and nothing negative or not a number.
    constexpr double kMostMicros = 3.2e15;
    if (!(micros > 0 && micros < kMostMicros)) continue;
    const auto spent = std::chrono::milliseconds(static_cast<int64_t>(std::llround(micros / 1000)));
    parts.push_back({listed_output(name), spent});
  }
  std::ranges::stable_sort(parts, std::ranges::greater(), &CommandPart::spent);
  parts.resize(std::min(parts.size(), kMostCommandParts));
  return parts;
}

/// A row of nvcc's table.
struct PhaseRow {
  std::string_view source = {};
  std::string_view phase = {};
  std::string_view output = {};
  std::string_view arch = {};
  double milliseconds = 0;
};

/// The columns are separated by commas, which the names of files may contain: the outer columns
/// have none.
std::optional<PhaseRow> phase_row(std::string_view line) {
  constexpr size_t kColumns = 8;
  constexpr size_t kMostColumns = 1000;
  std::vector<std::string_view> columns;
  while (columns.size() < kMostColumns) {
    const size_t comma = line.find(',');
    columns.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  const size_t count = columns.size();
  if (count < kColumns || columns[count - 1] != "ms") return std::nullopt;
  const std::string_view metric = columns[count - 2];
  PhaseRow row{columns[0], columns[1], columns[count - 5], columns[count - 4]};
  const auto [end, error] =
      std::from_chars(metric.data(), metric.data() + metric.size(), row.milliseconds);
  if (error != std::errc{} || end != metric.data() + metric.size()) return std::nullopt;
  return row;
}

/// The phases of a source of which no driver's row has been read yet.
struct OpenProfile {
  std::string_view last_output = {};
  PartTimes times = {};
};

}  // namespace

std::vector<CompilationProfile> nvcc_profiles(std::string_view csv) {
  std::vector<CompilationProfile> profiles;
  std::map<std::string_view, OpenProfile> open;
  // The source of the last phase with that output; the source may have had others since.
  std::map<std::string_view, std::string_view> source_of;
  while (!csv.empty()) {
    const size_t end = csv.find('\n');
    const std::optional<PhaseRow> row = phase_row(csv.substr(0, end));
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    if (!row) continue;
    if (row->phase != "nvcc (driver)") {
      OpenProfile& profile = open[row->source];
      profile.last_output = row->output;
      source_of[row->output] = row->source;
      std::string name(row->phase);
      if (!row->arch.empty()) name += " (" + std::string(row->arch) + ")";
      profile.times[name] += row->milliseconds * 1000;
      continue;
    }
    const auto source = source_of.find(row->output);
    if (source == source_of.end()) continue;
    const auto found = open.find(source->second);
    source_of.erase(source);
    if (found == open.end() || found->second.last_output != row->output) continue;
    profiles.push_back({std::string(row->output), longest_parts(found->second.times)});
    open.erase(found);
  }
  return profiles;
}

std::vector<CommandPart> clang_phases(std::string_view json) {
  try {
    constexpr std::string_view kTotal = "Total ";
    const nlohmann::json trace = parse_json(json);
    PartTimes times;
    for (const nlohmann::json& event : trace.at("traceEvents")) {
      const std::string name = event.value("name", "");
      if (!name.starts_with(kTotal)) continue;
      times[name.substr(kTotal.size())] += event.at("dur").get<double>();
    }
    return longest_parts(times);
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace pinwheel::plan
