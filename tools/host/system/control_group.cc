#include "host/system/control_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/parse_integer.h"
#include "base/text.h"
#include "host/system/open_regular.h"

namespace pinwheel::host {
namespace {

/// cpu.stat has about 20 lines.
constexpr size_t kMostCounters = 4 << 10;

/// The path of a group up to the directory that is named after the container.
std::optional<std::string_view> up_to_container(std::string_view path, std::string_view id) {
  const size_t named = path.find(id);
  if (id.empty() || named == std::string_view::npos || !path.starts_with('/')) return std::nullopt;
  const std::string_view group = path.substr(0, path.find('/', named));
  // A group outside of pinwheel's own namespace of groups is not below the mounted root.
  if (group.find("/..") != std::string_view::npos) return std::nullopt;
  return group;
}

/// A line of /proc/PID/cgroup: "4:memory:/docker/ID"; version 2 has no controllers:
/// "0::/docker/ID".
struct GroupLine {
  std::string_view controllers;
  std::string_view path;
};

std::optional<GroupLine> group_line(std::string_view line) {
  const size_t first = line.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = line.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return GroupLine{line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

bool lists_controller(std::string_view controllers, std::string_view wanted) {
  const std::vector<std::string> names = split(controllers, ',');
  return std::find(names.begin(), names.end(), wanted) != names.end();
}

std::optional<uint64_t> counter_of(const ControlGroup& group, std::string_view file) {
  return parse_unsigned(
      trim(first_bytes(fmt::format("{}/{}", group.directory, file), kMostCounters)));
}

std::optional<uint64_t> counted_memory(const ControlGroup& group) {
  switch (group.version) {
    case GroupVersion::v1:
      return counter_of(group, "memory.max_usage_in_bytes");
    case GroupVersion::v2: {
      const std::optional<uint64_t> peak = counter_of(group, "memory.peak");
      return peak ? peak : counter_of(group, "memory.current");
    }
  }
  return std::nullopt;
}

std::optional<std::chrono::microseconds> counted_cpu(const ControlGroup& group) {
  switch (group.version) {
    case GroupVersion::v1: {
      const std::optional<uint64_t> used = counter_of(group, "cpuacct.usage");
      if (!used) return std::nullopt;
      return std::chrono::floor<std::chrono::microseconds>(
          std::chrono::nanoseconds(static_cast<int64_t>(*used)));
    }
    case GroupVersion::v2:
      return usage_of_cpu_stat(first_bytes(group.directory + "/cpu.stat", kMostCounters));
  }
  return std::nullopt;
}

}  // namespace

ContainerGroups groups_of_container(std::string_view proc_cgroup, std::string_view id,
                                    std::string_view root) {
  ContainerGroups groups;
  std::optional<ControlGroup> unified;
  for (const std::string& text : split(proc_cgroup, '\n')) {
    const std::optional<GroupLine> line = group_line(text);
    if (!line) continue;
    const std::optional<std::string_view> path = up_to_container(line->path, id);
    if (!path) continue;
    if (line->controllers.empty()) {
      unified = ControlGroup{GroupVersion::v2, fmt::format("{}{}", root, *path)};
    }
    // Distributions mount `cpu` and `cpuacct` together, and have a link for each name.
    if (lists_controller(line->controllers, "memory")) {
      groups.memory = ControlGroup{GroupVersion::v1, fmt::format("{}/memory{}", root, *path)};
    }
    if (lists_controller(line->controllers, "cpuacct")) {
      groups.cpu = ControlGroup{GroupVersion::v1, fmt::format("{}/cpuacct{}", root, *path)};
    }
  }
  // A controller of version 1 does not count in the hierarchy of version 2.
  if (!groups.memory) groups.memory = unified;
  if (!groups.cpu) groups.cpu = unified;
  return groups;
}

bool is_first_of_namespace(std::string_view proc_status) {
  constexpr std::string_view kNumbers = "NSpid:";  // in each namespace, from this one inward
  for (const std::string& line : split(proc_status, '\n')) {
    if (!line.starts_with(kNumbers)) continue;
    const std::vector<std::string> numbers =
        split(trim(std::string_view(line).substr(kNumbers.size())), '\t');
    return numbers.size() > 1 && numbers.back() == "1";
  }
  return false;
}

std::optional<std::chrono::microseconds> usage_of_cpu_stat(std::string_view cpu_stat) {
  constexpr std::string_view kUsage = "usage_usec ";
  for (const std::string& line : split(cpu_stat, '\n')) {
    if (!line.starts_with(kUsage)) continue;
    const std::optional<uint64_t> used =
        parse_unsigned(trim(std::string_view(line).substr(kUsage.size())));
    if (!used) return std::nullopt;
    return std::chrono::microseconds(static_cast<int64_t>(*used));
  }
  return std::nullopt;
}

void update_usage(const ContainerGroups& groups, ContainerUsage& usage) {
  if (groups.memory) {
    const std::optional<uint64_t> counted = counted_memory(*groups.memory);
    if (counted) usage.peak_memory = std::max(usage.peak_memory.value_or(0), *counted);
  }
  if (groups.cpu) {
    const std::optional<std::chrono::microseconds> counted = counted_cpu(*groups.cpu);
    if (counted) usage.cpu_time = counted;
  }
}

}  // namespace pinwheel::host
