#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/store/place.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

/// A file of a place, opened for reading; nullopt if it is missing. `wrong_bytes` for anything
/// else, such as a FIFO, a device or a directory: it could block, or be read without an end.
PlaceResult<std::optional<UniqueFd>> open_regular(const std::filesystem::path& path);

/// All of it. `wrong_bytes` also for a file with more than `most` bytes, of which no more are read.
PlaceResult<std::optional<std::string>> read_regular(const std::filesystem::path& path,
                                                     uint64_t most);

struct RegularFile {
  std::string sha256;  ///< hex
  uint64_t size = 0;
};
/// The digest and size of a file, read completely, in chunks.
PlaceResult<std::optional<RegularFile>> digest_regular(const std::filesystem::path& path);

}  // namespace pinwheel::host
