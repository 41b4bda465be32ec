#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace pinwheel::host {

struct FileDigest {
  std::string sha256;  ///< hex
  uint64_t size = 0;
};

/// SHA-256 of a file's contents, read in chunks of 1 MiB. `config` if it is missing.
Result<FileDigest> digest_file(const std::filesystem::path& path);

}  // namespace pinwheel::host
