#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wheel/record.h"

namespace pinwheel::env {

/// How an installed file gets into another environment: as the same file, or as a copy in which the
/// path of the one environment is replaced by that of the other.
enum class Transfer { link, rewrite };

struct SharedFile {
  std::string path;         ///< below the environment
  std::string record_path;  ///< as RECORD writes it
  Transfer transfer = Transfer::link;
  std::string sha256 = {};  ///< base64url; empty for byte code, which has none in RECORD

  bool operator==(const SharedFile&) const = default;
};

/// The files of an installed package, except its RECORD.
struct SharedPackage {
  std::vector<SharedFile> files;
  uint64_t bytes = 0;  ///< of the files with a size in RECORD
};

/// The files that pip wrote for a package, from its RECORD; `site_packages` and `record` are below
/// the environment. Scripts and byte code contain the path of their environment. `environment` if a
/// file is outside the environment, or if RECORD has no digest of it.
Result<SharedPackage> shared_package(const std::vector<wheel::RecordRow>& rows,
                                     std::string_view site_packages, std::string_view record);

/// Smaller packages are installed by pip: sharing them would save little.
inline constexpr uint64_t kLeastShared = 8'000'000;

/// Whether a directory such as "torch-2.13.0+cpu.dist-info" describes that version of the package;
/// `name` is normalized.
bool describes(std::string_view dist_info, std::string_view name, std::string_view version);

}  // namespace pinwheel::env
