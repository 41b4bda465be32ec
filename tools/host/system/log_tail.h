#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace pinwheel::host {

/// The last bytes of a log, at most `most`; empty if it cannot be read.
std::string log_tail(const std::filesystem::path& log, uint64_t most);

/// The length of a log in bytes; 0 if it cannot be read.
uint64_t log_size(const std::filesystem::path& log);

/// The text appended to a log after it had `size` bytes, at most the last `most`.
std::string log_since(const std::filesystem::path& log, uint64_t size, uint64_t most);

}  // namespace pinwheel::host
