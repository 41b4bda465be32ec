#include "host/system/out_of_memory.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>

#include "base/text.h"

namespace pinwheel::host {
namespace {

std::string read_small(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The rest of the line that starts with `prefix`.
std::optional<std::string_view> line_after(std::string_view text, std::string_view prefix) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(prefix)) return trim(line.substr(prefix.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> cgroup_path(std::string_view proc_self_cgroup) {
  return line_after(proc_self_cgroup, "0::");
}

std::optional<uint64_t> oom_kills(std::string_view memory_events) {
  const std::optional<std::string_view> digits = line_after(memory_events, "oom_kill ");
  if (!digits) return std::nullopt;
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), count);
  if (error != std::errc{} || end != digits->data() + digits->size()) return std::nullopt;
  return count;
}

std::optional<uint64_t> current_oom_kills() {
  const std::string groups = read_small("/proc/self/cgroup");
  const std::optional<std::string_view> path = cgroup_path(groups);
  if (!path) return std::nullopt;
  return oom_kills(read_small("/sys/fs/cgroup" + std::string(*path) + "/memory.events"));
}

bool killed_for_memory(const ports::Exit& exit, std::optional<uint64_t> before,
                       std::optional<uint64_t> after) {
  if (exit.ok() || exit.timed_out || exit.canceled) return false;
  return exit.signal == SIGKILL || (before && after && *after > *before);
}

}  // namespace pinwheel::host
