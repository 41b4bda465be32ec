#include "slurm/allocation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::slurm {
namespace {

constexpr size_t kMostHosts = 100'000;
constexpr int kMostBrackets = 5;

/// A whole number that is not negative.
std::optional<int> count_of(std::string_view text) {
  const std::optional<int> number = parse_integer(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// The parts between commas outside of brackets.
std::vector<std::string_view> host_parts(std::string_view list) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  bool inside = false;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') inside = true;
    if (i < list.size() && list[i] == ']') inside = false;
    if (i < list.size() && (list[i] != ',' || inside)) continue;
    parts.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

using Hosts = std::vector<std::string>;

/// `before` with each number of a range, "1-3" or "07", after it; nullopt: the range is malformed
/// or has more than `most` numbers.
std::optional<Hosts> with_range(std::string_view before, std::string_view range, size_t most) {
  const size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
  const std::optional<uint64_t> first = parse_unsigned(low);
  const std::optional<uint64_t> last = parse_unsigned(high);
  if (!first || !last || *first > *last || *last - *first >= most) return std::nullopt;
  Hosts hosts;
  hosts.reserve(*last - *first + 1);
  for (uint64_t number = *first; number <= *last; ++number) {
    hosts.push_back(fmt::format("{}{:0{}}", before, number, low.size()));
  }
  return hosts;
}

/// The hosts of "n[1-3,7]x[0-1]", of which `before` is already expanded; nullopt: the text is
/// malformed or has more than `most` hosts.
std::optional<Hosts> hosts_of(std::string_view before, std::string_view rest, size_t most) {
  // Slurm's names have a few dimensions at most.
  if (most == 0 || std::ranges::count(rest, '[') > kMostBrackets) return std::nullopt;
  const size_t open = rest.find('[');
  if (open == std::string_view::npos) {
    if (before.empty() && rest.empty()) return std::nullopt;
    return Hosts{std::string(before) + std::string(rest)};
  }
  const size_t close = rest.find(']', open);
  if (close == std::string_view::npos) return std::nullopt;
  const std::string head = std::string(before) + std::string(rest.substr(0, open));
  Hosts heads;
  for (const std::string& range : split(rest.substr(open + 1, close - open - 1), ',')) {
    const std::optional<Hosts> more = with_range(head, range, most - heads.size());
    if (!more) return std::nullopt;
    heads.insert(heads.end(), more->begin(), more->end());
  }
  Hosts hosts;
  for (const std::string& each : heads) {
    const std::optional<Hosts> more = hosts_of(each, rest.substr(close + 1), most - hosts.size());
    if (!more) return std::nullopt;
    hosts.insert(hosts.end(), more->begin(), more->end());
  }
  return hosts;
}

/// The cores of a node that the variables of its job state.
int cores_on(const std::map<std::string, std::string>& variables, const std::string& node,
             const Allocation& allocation) {
  if (const auto here = count_of(value_at(variables, "SLURM_CPUS_ON_NODE"))) return *here;
  const auto& nodes = allocation.nodes;
  const auto place = static_cast<size_t>(std::ranges::find(nodes, node) - nodes.begin());
  return place < allocation.node_cores.size() ? allocation.node_cores[place] : 0;
}

uint64_t memory_on(const std::map<std::string, std::string>& variables, int cores) {
  constexpr uint64_t kMost = uint64_t{1} << 40U;  // in MB
  const auto in_variable = [&](const char* name) {
    const auto megabytes = parse_unsigned(value_at(variables, name));
    return megabytes && *megabytes < kMost ? *megabytes << 20U : 0;
  };
  const uint64_t per_node = in_variable("SLURM_MEM_PER_NODE");
  if (per_node > 0) return per_node;
  const uint64_t per_core = in_variable("SLURM_MEM_PER_CPU");
  return cores > 0 && cores < 1'000'000 ? per_core * static_cast<uint64_t>(cores) : 0;
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view list) {
  Hosts hosts;
  for (const std::string_view part : host_parts(list)) {
    const std::optional<Hosts> more = hosts_of("", part, kMostHosts - hosts.size());
    if (!more) return {};
    hosts.insert(hosts.end(), more->begin(), more->end());
  }
  return hosts;
}

std::vector<int> expand_counts(std::string_view list) {
  std::vector<int> counts;
  for (const std::string& part : split(list, ',')) {
    const size_t open = part.find("(x");
    const std::optional<int> count = count_of(std::string_view(part).substr(0, open));
    std::optional<uint64_t> times = 1;
    if (open != std::string::npos) {
      if (!part.ends_with(')')) return {};
      times = parse_unsigned(std::string_view(part).substr(open + 2, part.size() - open - 3));
    }
    if (!count || !times || *times > kMostHosts - std::min(kMostHosts, counts.size())) return {};
    counts.insert(counts.end(), *times, *count);
  }
  return counts;
}

std::optional<Allocation> read_allocation(const std::map<std::string, std::string>& variables) {
  Allocation allocation{.job = value_at(variables, "SLURM_JOB_ID")};
  const std::string node = value_at(variables, "SLURMD_NODENAME");
  if (!parse_unsigned(allocation.job) || node.empty()) return std::nullopt;
  allocation.nodes = expand_hosts(value_at(variables, "SLURM_JOB_NODELIST"));
  allocation.node_cores = expand_counts(value_at(variables, "SLURM_JOB_CPUS_PER_NODE"));
  allocation.cores = cores_on(variables, node, allocation);
  allocation.memory = memory_on(variables, allocation.cores);
  if (const auto end = parse_unsigned(value_at(variables, "SLURM_JOB_END_TIME"));
      end && *end < uint64_t{1} << 40U) {
    allocation.end = static_cast<int64_t>(*end);
  }
  return allocation;
}

bool is_in_step(const std::map<std::string, std::string>& variables) {
  constexpr uint64_t kFirstOfSlurm = 0xfffffff0;
  const auto step = parse_unsigned(value_at(variables, "SLURM_STEP_ID"));
  return step && *step < kFirstOfSlurm;
}

Done check_time_left(const plan::Step& step, const std::string& job, std::chrono::seconds left) {
  const bool known = step.prediction == plan::Prediction::measured;
  const double most = std::max(step.predicted_seconds, step.predicted_p90);
  if (!known || most <= static_cast<double>(left.count())) return {};
  const auto needed = std::chrono::milliseconds(static_cast<int64_t>(most * 1000));
  return fail(ErrorKind::timeout,
              fmt::format("{} takes up to {}, and job {} of Slurm ends in {}", quoted(step.id),
                          format_duration(needed), job,
                          format_duration(std::max(left, std::chrono::seconds(0)))),
              "run the same command in a longer allocation: it continues from here");
}

}  // namespace pinwheel::slurm
