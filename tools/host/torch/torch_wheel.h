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

/// The parsed file name of a torch wheel for Linux.
struct TorchWheel {
  exports::Build build;
  std::string python;  ///< the ABI tag, "cp311", "cp313t"
};
/// nullopt for any other file.
std::optional<TorchWheel> parse_torch_wheel(std::string_view filename);

/// Which libraries of a wheel to read.
enum class TorchLibraries {
  all,
  of_python,  ///< those that differ between Pythons: libtorch_python
};

/// The exports of a wheel. Only small parts of a remote archive are read; a member whose partial
/// data cannot be verified is read completely. Kind `check` for a corrupt wheel, `config` for a
/// file that is not a torch wheel for Linux.
Result<exports::Snapshot> read_torch_wheel(const ports::ByteSource& source,
                                           std::string_view filename, TorchLibraries which);

/// The exports of the torch installed in `directory`: site-packages, or `torch` in it. Kind
/// `config` if there is none.
Result<exports::Snapshot> read_torch_directory(const std::filesystem::path& directory,
                                               ports::Files& files);

}  // namespace pinwheel::host
