#include "plan/ninja_state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"

namespace pinwheel::plan {
namespace {

constexpr std::array<std::string_view, 3> kLogHeaders = {"# ninja log v5", "# ninja log v6",
                                                         "# ninja log v7"};
constexpr std::string_view kDepsHeader = "# ninjadeps\n";
constexpr uint32_t kDepsVersion = 4;
constexpr uint32_t kDepsRecord = 0x80000000U;
constexpr int64_t kYear = int64_t{366} * 24 * 3600 * 1000;
/// Limits of ninja itself: a larger record is damage.
constexpr uint32_t kMostRecord = (1U << 19U) - 1U;

/// The columns of a line of a log: start, end, mtime, output, hash.
using LogColumns = std::array<std::string_view, 5>;

std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<LogColumns> log_columns(std::string_view line) {
  LogColumns columns;
  for (size_t i = 0; i < columns.size(); ++i) {
    const size_t tab = line.find('\t');
    if ((tab == std::string_view::npos) != (i + 1 == columns.size())) return std::nullopt;
    columns[i] = line.substr(0, tab);
    if (columns[i].empty()) return std::nullopt;
    line.remove_prefix(std::min(line.size(), columns[i].size() + 1));
  }
  return columns;
}

/// Calls `visit` with each complete line after a known header; false without such a header.
template <class Visit>
bool each_log_line(std::string_view log, const Visit& visit) {
  bool first = true;
  while (!log.empty()) {
    const size_t end = log.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end + 1);
    if (first && std::ranges::find(kLogHeaders, line) == kLogHeaders.end()) return false;
    visit(line);
    first = false;
  }
  return !first;
}

std::optional<NinjaEntry> entry_in(std::string_view line) {
  const std::optional<LogColumns> columns = log_columns(line);
  if (!columns) return std::nullopt;
  const std::optional<int64_t> start = number_in((*columns)[0]);
  const std::optional<int64_t> end = number_in((*columns)[1]);
  const std::optional<int64_t> mtime = number_in((*columns)[2]);
  if (!start || !end || !mtime || *start < 0 || *end < *start || *end > kYear) return std::nullopt;
  return NinjaEntry{*start, *end, std::max(*mtime, int64_t{0}), std::string((*columns)[3])};
}

uint32_t word_at(std::string_view bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

/// A record of a `.ninja_deps`.
struct DepsRecord {
  bool of_path = false;
  size_t at = 0;  ///< of its contents
  uint32_t size = 0;
};

/// The complete records of a file of ninja's dependencies.
Result<std::vector<DepsRecord>> deps_records(std::string_view deps) {
  const size_t begin = kDepsHeader.size() + sizeof(uint32_t);
  if (!deps.starts_with(kDepsHeader) || deps.size() < begin ||
      word_at(deps, kDepsHeader.size()) != kDepsVersion) {
    return fail(ErrorKind::check, "`.ninja_deps` has an unknown format");
  }
  std::vector<DepsRecord> records;
  for (size_t at = begin; at + sizeof(uint32_t) <= deps.size();) {
    const uint32_t head = word_at(deps, at);
    const uint32_t size = head & ~kDepsRecord;
    at += sizeof(uint32_t);
    if (size > kMostRecord || at + size > deps.size()) break;
    const bool of_path = (head & kDepsRecord) == 0;
    // A path, padded, and a checksum; or an output, a time of two words and inputs.
    const uint32_t least = of_path ? 2 * sizeof(uint32_t) : 3 * sizeof(uint32_t);
    if (size < least || size % sizeof(uint32_t) != 0) {
      return fail(ErrorKind::check, "`.ninja_deps` is damaged");
    }
    records.push_back({of_path, at, size});
    at += size;
  }
  return records;
}

}  // namespace

bool records_outputs(std::string_view log) {
  return log.starts_with(kLogHeaders[0]);
}

std::vector<NinjaEntry> ninja_entries(std::string_view log) {
  std::vector<NinjaEntry> all;
  const bool known = each_log_line(log, [&](std::string_view line) {
    std::optional<NinjaEntry> entry = entry_in(line);
    if (entry) all.push_back(*std::move(entry));
  });
  if (!known) return {};
  std::map<std::string, size_t> latest;
  for (size_t i = 0; i < all.size(); ++i) latest[all[i].output] = i;
  std::vector<NinjaEntry> entries;
  entries.reserve(latest.size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (latest.at(all[i].output) == i) entries.push_back(all[i]);
  }
  return entries;
}

Result<std::set<std::string>> ninja_inputs(std::string_view deps, const std::set<std::string>& of) {
  TRY(const std::vector<DepsRecord> records, deps_records(deps));
  std::vector<std::string> paths;
  std::map<uint32_t, std::vector<uint32_t>> inputs;  // the last record of an output counts
  for (const DepsRecord& record : records) {
    if (record.of_path) {
      std::string path(deps.substr(record.at, record.size - sizeof(uint32_t)));
      path.resize(path.find_last_not_of('\0') + 1);
      paths.push_back(std::move(path));
      continue;
    }
    std::vector<uint32_t>& list = inputs[word_at(deps, record.at)];
    list.clear();
    for (uint32_t at = 3 * sizeof(uint32_t); at < record.size; at += sizeof(uint32_t)) {
      list.push_back(word_at(deps, record.at + at));
    }
  }
  std::set<std::string> found;
  for (const auto& [output, list] : inputs) {
    if (output >= paths.size() || !of.contains(paths[output])) continue;
    for (const uint32_t input : list) {
      if (input >= paths.size()) return fail(ErrorKind::check, "`.ninja_deps` is damaged");
      found.insert(paths[input]);
    }
  }
  return found;
}

std::string with_new_times_log(std::string_view log, const NewTime& time) {
  std::string text;
  each_log_line(log, [&](std::string_view line) {
    if (const std::optional<NinjaEntry> entry = entry_in(line)) {
      const LogColumns columns = *log_columns(line);
      const int64_t mtime = entry->mtime > 0 ? time(entry->mtime) : 0;
      text += std::string(columns[0]) + '\t' + std::string(columns[1]) + '\t' +
              std::to_string(mtime) + '\t' + std::string(columns[3]) + '\t' +
              std::string(columns[4]) + '\n';
    } else if (line.starts_with('#')) {
      text += std::string(line) + '\n';
    }
  });
  return text;
}

Result<std::string> with_new_times_deps(std::string_view deps, const NewTime& time) {
  TRY(const std::vector<DepsRecord> records, deps_records(deps));
  const size_t end = records.empty() ? kDepsHeader.size() + sizeof(uint32_t)
                                     : records.back().at + records.back().size;
  std::string bytes(deps.substr(0, end));
  for (const DepsRecord& record : records) {
    if (record.of_path) continue;
    int64_t mtime = 0;
    std::memcpy(&mtime, bytes.data() + record.at + sizeof(uint32_t), sizeof mtime);
    if (mtime != 0) mtime = time(mtime);
    std::memcpy(bytes.data() + record.at + sizeof(uint32_t), &mtime, sizeof mtime);
  }
  return bytes;
}

}  // namespace pinwheel::plan
