#include "plan/cache_output.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::plan {
namespace {

std::string_view next_line(std::string_view& text) {
  // Progress ends in a carriage return in some versions.
  const size_t at = text.find_first_of("\r\n");
  const std::string_view line = trim(text.substr(0, at));
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return line;
}

/// The size in "Downloading a-1.0-py3-none-any.whl (12.3 MB)"; 0 without one.
uint64_t announced_size(std::string_view line) {
  const size_t open = line.rfind('(');
  if (open == std::string_view::npos || !line.ends_with(')')) return 0;
  std::string size(line.substr(open + 1, line.size() - open - 2));
  // pip writes "kB", and "bytes".
  if (size.ends_with(" kB")) size.replace(size.size() - 2, 1, "K");
  if (size.ends_with(" bytes")) size.resize(size.size() - 6);
  return parse_bytes(size).value_or(0);
}

/// The received bytes in "Progress 123 of 456".
std::optional<uint64_t> progress_of(std::string_view line) {
  constexpr std::string_view kProgress = "Progress ";
  if (!line.starts_with(kProgress)) return std::nullopt;
  line.remove_prefix(kProgress.size());
  return parse_unsigned(line.substr(0, line.find(' ')));
}

/// The metadata of a wheel (PEP 658) is no file of its cache.
bool names_file(std::string_view rest) {
  const std::string_view name = rest.substr(0, rest.find(' '));
  return name.ends_with(".whl") || name.ends_with(".tar.gz") || name.ends_with(".zip");
}

}  // namespace

CacheHits ccache_hits(std::string_view stats_log) {
  CacheHits counted{"ccache"};
  while (!stats_log.empty()) {
    const std::string_view line = next_line(stats_log);
    if (line == "direct_cache_hit" || line == "preprocessed_cache_hit") ++counted.hits;
    if (line == "cache_miss") ++counted.misses;
  }
  return counted;
}

CacheHits sccache_hits(std::string_view stats) {
  CacheHits counted{"sccache"};
  const nlohmann::json json = read_json(stats);
  const nlohmann::json::json_pointer all("/stats");
  const auto sum_of = [&](const char* counter) {
    uint64_t sum = 0;
    const nlohmann::json::json_pointer counts = all / counter / "counts";
    if (!json.contains(counts) || !json[counts].is_object()) return sum;
    for (const nlohmann::json& count : json[counts]) {
      if (count.is_number_unsigned()) sum += count.get<uint64_t>();
    }
    return sum;
  };
  counted.hits = sum_of("cache_hits");
  counted.misses = sum_of("cache_misses");
  return counted;
}

PipTraffic pip_traffic(std::string_view output) {
  constexpr std::string_view kDownloading = "Downloading ";
  constexpr std::string_view kUsingCached = "Using cached ";
  PipTraffic traffic;
  uint64_t current = 0;  ///< bytes of the download that goes on
  while (!output.empty()) {
    const std::string_view line = next_line(output);
    if (line.starts_with(kDownloading)) {
      traffic.fetched += current;
      current = announced_size(line);
      if (names_file(line.substr(kDownloading.size()))) ++traffic.cache.misses;
    } else if (line.starts_with(kUsingCached)) {
      if (names_file(line.substr(kUsingCached.size()))) ++traffic.cache.hits;
    } else if (const std::optional<uint64_t> progress = progress_of(line)) {
      // A hostile sum must not overflow: nothing larger is ever received.
      constexpr uint64_t kMost = uint64_t{1} << 50U;
      current = *progress < kMost ? *progress : current;
    }
  }
  traffic.fetched += current;
  return traffic;
}

}  // namespace pinwheel::plan
