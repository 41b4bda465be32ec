#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "env/environment_marker.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The file that says that a directory of the cache holds all it should.
inline constexpr std::string_view kCompleteMarker = "pinwheel-complete.json";

Result<bool> is_complete(const EnvMachine& machine, const std::filesystem::path& directory);

/// Makes a directory of the cache in place, once, under a lock: it counts only once its marker is
/// written, and a remainder without one is removed first. `make` fills it and returns what the
/// marker shall say; the bytes on disk and the time are filled in here.
Done make_once(const EnvMachine& machine, const std::filesystem::path& directory,
               const std::function<Result<env::EnvironmentMarker>()>& make);

/// `environment`, with both sizes, when there is less free beside `directory` than `what` needs.
Done check_space(const EnvMachine& machine, const std::filesystem::path& directory, uint64_t need,
                 const std::string& what);

}  // namespace pinwheel::host
