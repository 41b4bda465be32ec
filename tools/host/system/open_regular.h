#pragma once
#include <filesystem>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

// How every file from outside is opened and read: `house` finds another way.

/// A regular file, open to be read; links are followed. Whatever else is there, a FIFO, a device, a
/// directory, could be waited for, or read, without an end: it is an error of kind `config`. An
/// empty file for `/dev/null`. Below `/dev/fd`, and as `/dev/stdin`, a pipe as well: the caller
/// opened its other end.
Result<UniqueFd> open_regular_file(const std::filesystem::path& path);

/// All of a regular file. `config` for one with more bytes than the limit, of which no more are
/// read.
Result<std::string> read_regular_file(const std::filesystem::path& path, const ByteLimit& limit);

/// The first bytes of a regular file, at most `most`; empty if it cannot be read.
std::string first_bytes(const std::filesystem::path& path, size_t most);

}  // namespace pinwheel::host
