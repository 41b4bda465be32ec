#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "exports/snapshot.h"
#include "ports/byte_source.h"
#include "ports/files.h"

namespace pinwheel::host {

/// What the file name of one of torch's wheels for Linux says.
struct TorchWheel {
  exports::Build build;
  std::string python;  ///< the ABI tag, "cp311", "cp313t"
};
/// nullopt for a file that is no such wheel.
std::optional<TorchWheel> parse_torch_wheel(std::string_view filename);

/// Which libraries of a wheel are read.
enum class TorchLibraries {
  all,
  of_python,  ///< those that are others for each Python: libtorch_python
};

/// What the wheel exports. Of an archive that lies far away little is read; a member whose ends
/// alone do not prove themselves is read as a whole. Kind `check` for a damaged one, `config` for a
/// file that is no torch wheel for Linux.
Result<exports::Snapshot> read_torch_wheel(const ports::ByteSource& source,
                                           std::string_view filename, TorchLibraries which);

/// What the torch exports that is installed in `directory`: site-packages, or `torch` in it. Kind
/// `config` when there is none.
Result<exports::Snapshot> read_torch_directory(const std::filesystem::path& directory,
                                               ports::Files& files);

}  // namespace pinwheel::host
