#pragma once
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "ports/files.h"

namespace pinwheel::host {

/// Writes an output file that the user named. A regular or missing file is replaced as
/// `Files::write` does; through a symbolic link, its target is. Anything else (a device, a FIFO) is
/// written to and not replaced. Errors as of `Files`.
Done write_named_output(ports::Files& files, const std::filesystem::path& path,
                        std::string_view bytes);

}  // namespace pinwheel::host
