#include "plan/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::plan {
namespace {

// A build costs about as much as ten tests; only the ratio matters.
constexpr size_t kBuildWeight = 10;

std::optional<int> positive(std::string_view text) {
  const std::optional<int> value = parse_integer(text);
  return value && *value >= 1 ? value : std::nullopt;
}

size_t weight(const BuildGroup& group) {
  return kBuildWeight + group.tests.size();
}

/// The part of each build.
std::vector<size_t> assign(const std::vector<BuildGroup>& builds, size_t count) {
  std::vector<size_t> order(builds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&builds](size_t a, size_t b) { return weight(builds[a]) > weight(builds[b]); });
  std::vector<size_t> load(count, 0);
  std::vector<size_t> part(builds.size());
  for (const size_t build : order) {
    // A part builds what its tests require.
    if (builds[build].tests.empty()) continue;
    const size_t lightest =
        static_cast<size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    part[build] = lightest;
    load[lightest] += weight(builds[build]);
  }
  return part;
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  const size_t slash = text.find('/');
  const auto index = positive(text.substr(0, slash));
  const auto count =
      slash == std::string_view::npos ? std::nullopt : positive(text.substr(slash + 1));
  if (!index || !count || *index > *count) {
    return fail(ErrorKind::usage, fmt::format("{} is not a shard", quoted(text)),
                "write it as `INDEX/COUNT`, for instance `--shard 2/4`");
  }
  return Shard{*index, *count};
}

std::vector<Outline> split_into_shards(const Outline& outline, int count) {
  const std::vector<size_t> part = assign(outline.builds, static_cast<size_t>(count));
  std::vector<std::vector<matrix::Variant>> variants(static_cast<size_t>(count));
  std::unordered_map<std::string_view, size_t> part_of_variant;
  for (size_t i = 0; i < outline.builds.size(); ++i) {
    for (const std::string& test : outline.builds[i].tests) part_of_variant[test] = part[i];
  }
  for (const matrix::Variant& variant : outline.variants) {
    variants[part_of_variant.at(variant.id)].push_back(variant);
  }
  std::vector<Outline> parts;
  parts.reserve(variants.size());
  for (const std::vector<matrix::Variant>& each : variants) parts.push_back(part_of(outline, each));
  return parts;
}

}  // namespace pinwheel::plan
