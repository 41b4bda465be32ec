#pragma once
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "ports/files.h"

namespace pinwheel::host {

/// Writes the output that a user named. A regular file, or one that is missing, is replaced as
/// `Files::write` does; behind a symbolic link it is the file that the link names. Anything else
/// (a device, a FIFO) is written to and stays what it is. Errors as of `Files`.
Done write_named_output(ports::Files& files, const std::filesystem::path& path,
                        std::string_view bytes);

}  // namespace pinwheel::host
