#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/store/place.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

/// A file of a place, open to be read; nullopt if it is missing. `wrong_bytes` for whatever else
/// is there, a FIFO, a device, a directory: it could be waited for, or read, without an end.
PlaceResult<std::optional<UniqueFd>> open_regular(const std::filesystem::path& path);

/// All of it. `wrong_bytes` also for one with more than `most` bytes, of which no more are read.
PlaceResult<std::optional<std::string>> read_regular(const std::filesystem::path& path,
                                                     uint64_t most);

struct RegularFile {
  std::string sha256;  ///< hex
  uint64_t size = 0;
};
/// What it is: read whole, in pieces.
PlaceResult<std::optional<RegularFile>> digest_regular(const std::filesystem::path& path);

}  // namespace pinwheel::host
