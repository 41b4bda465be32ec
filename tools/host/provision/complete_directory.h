#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "env/environment_marker.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The file that marks a directory of the cache as complete.
inline constexpr std::string_view kCompleteMarker = "pinwheel-complete.json";

Result<bool> is_complete(const EnvMachine& machine, const std::filesystem::path& directory);

/// Creates a directory of the cache in place, once, under a lock: it is complete only when its
/// marker is written, and an incomplete one is removed first. `make` fills it and returns the
/// marker's contents; the bytes on disk and the time are added here. Then it is in use
/// (`use_directory`).
Done make_once(const EnvMachine& machine, const std::filesystem::path& directory,
               const std::function<Result<env::EnvironmentMarker>()>& make);

/// `environment`, with both sizes, if the file system of `directory` has less free space than
/// `what` needs.
Done check_space(const EnvMachine& machine, const std::filesystem::path& directory, uint64_t need,
                 const std::string& what);

}  // namespace pinwheel::host
