#include "host/provision/full_disk.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "base/text.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

struct Space {
  fs::path directory;
  uint64_t free = 0;
};

std::optional<Space> least_space(const EnvMachine& machine) {
  const std::string named = value_at(machine.variables, "TMPDIR");
  const fs::path temporary = named.empty() ? fs::path("/tmp") : fs::path(named);
  std::optional<Space> least;
  for (const fs::path& directory : {machine.cache, machine.state, temporary}) {
    const Result<uint64_t> free = host_of(machine).files.free_bytes(directory);
    if (free && (!least || *free < least->free)) least = Space{directory, *free};
  }
  return least;
}

}  // namespace

env::Diagnosis name_full_disk(const EnvMachine& machine, env::Diagnosis diagnosis,
                              uint64_t needed) {
  if (diagnosis.lack == env::Lack::nothing && needed == 0) return diagnosis;
  const std::optional<Space> space = least_space(machine);
  const bool full = space && (diagnosis.lack != env::Lack::nothing || space->free < needed);
  if (!full) return diagnosis;
  diagnosis.lack = env::Lack::disk_space;
  diagnosis.hint = env::kFreeSpace;
  diagnosis.line +=
      fmt::format(" (the disk of {} has {} free)", pinwheel::quoted(space->directory.string()),
                  format_bytes(space->free));
  return diagnosis;
}

}  // namespace pinwheel::host
