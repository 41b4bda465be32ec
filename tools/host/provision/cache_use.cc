#include "host/provision/cache_use.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "host/provision/complete_directory.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

fs::path sibling(const fs::path& directory, std::string_view suffix) {
  return fs::path(directory.string().append(suffix));
}

void record_use(const EnvMachine& machine, const fs::path& directory) {
  constexpr size_t kShort = 16;
  const auto now = std::chrono::floor<std::chrono::seconds>(machine.clock.now());
  const nlohmann::json json = {{"project", machine.user.project},
                               {"step", machine.user.step},
                               {"at", now.time_since_epoch().count()}};
  const std::string name =
      sha256_hex(machine.user.project + "\n" + machine.user.step).substr(0, kShort);
  static_cast<void>(machine.files.write(
      sibling(directory, kUsesSuffix) / name,
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"));
}

std::optional<CacheUse> parse_use(std::string_view text) {
  try {
    const nlohmann::json json = parse_json(text);
    return CacheUse{{json.at("project"), json.at("step")},
                    std::chrono::sys_seconds(std::chrono::seconds(json.at("at").get<int64_t>()))};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

void use_directory(const EnvMachine& machine, const fs::path& directory) {
  if (!machine.leases) return;
  if (!machine.leases->holds(directory)) {
    auto lock = machine.files.share_lock(sibling(directory, kLockSuffix));
    if (lock) machine.leases->hold(directory, *std::move(lock));
  }
  if (machine.leases->is_first(directory, machine.user)) record_use(machine, directory);
}

std::vector<CacheUse> uses_of(ports::Files& files, const fs::path& directory) {
  const fs::path place = sibling(directory, kUsesSuffix);
  std::vector<CacheUse> uses;
  for (const std::string& name : files.list(place).value_or(std::vector<std::string>())) {
    const Result<std::string> text = files.read(place / name);
    if (std::optional<CacheUse> use = text ? parse_use(*text) : std::nullopt) {
      uses.push_back(*std::move(use));
    }
  }
  std::sort(uses.begin(), uses.end(), [](const CacheUse& one, const CacheUse& other) {
    return std::pair(other.at, one.user) < std::pair(one.at, other.user);
  });
  return uses;
}

Result<std::unique_ptr<ports::FileLock>> lock_unused(const EnvMachine& machine,
                                                     const fs::path& directory) {
  return machine.files.lock(sibling(directory, kLockSuffix), ports::IfLocked::fail);
}

Done remove_directory(const EnvMachine& machine, const fs::path& directory) {
  // The marker is removed first: a partial environment must never count as complete.
  TRY_DONE(machine.files.remove_all(directory / kCompleteMarker));
  TRY_DONE(machine.files.remove_all(directory));
  return machine.files.remove_all(sibling(directory, kUsesSuffix));
}

}  // namespace pinwheel::host
