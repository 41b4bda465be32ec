#pragma once
#include <filesystem>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

// The only way to open and read files from outside: `house` rejects any other.

/// A regular file, opened for reading; links are followed. Anything else, such as a FIFO, a device
/// or a directory, could block or be read without an end: it is an error of kind `config`.
/// `/dev/null` is an empty file. Below `/dev/fd`, and as `/dev/stdin`, a pipe is accepted as well:
/// the caller opened its other end.
Result<UniqueFd> open_regular_file(const std::filesystem::path& path);

/// All of a regular file. `config` for a file with more bytes than the limit, of which no more are
/// read.
Result<std::string> read_regular_file(const std::filesystem::path& path, const ByteLimit& limit);

/// The same for a file that an untrusted build wrote: its last part must not be a link, and must be
/// a regular file whatever the path is, so that reading it never waits.
Result<std::string> read_plain_file(const std::filesystem::path& path, const ByteLimit& limit);

/// The first bytes of a regular file, at most `most`; empty if it cannot be read.
std::string first_bytes(const std::filesystem::path& path, size_t most);

}  // namespace pinwheel::host
