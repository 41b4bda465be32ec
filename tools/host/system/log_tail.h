#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace pinwheel::host {

/// The last bytes of a log, at most `most`; empty if it cannot be read.
std::string log_tail(const std::filesystem::path& log, uint64_t most);

}  // namespace pinwheel::host
