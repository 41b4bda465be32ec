#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "env/pip_index.h"
#include "ports/http.h"

namespace pinwheel::host {

/// The sdist of a pinned requirement.
struct SdistRequest {
  std::string name;
  std::string version;
  std::filesystem::path directory;  ///< where it is unpacked; made by `fetch_sdist`
};

struct UnpackedSdist {
  std::filesystem::path source;  ///< the contents of its top-level directory
  std::string url;               ///< where it came from, without credentials
  std::string sha256;            ///< of the archive
};

/// The result of an earlier call in `directory`; nullopt if it has no complete one.
std::optional<UnpackedSdist> existing_sdist(const std::filesystem::path& directory);

/// Finds the sdist on the user's indexes through the simple API (PEP 503, PEP 691), in pip's order:
/// the index, the extra ones, the find-links directories. Downloads it, compares its hash with the
/// index's, and unpacks it. No build backend runs. `mask` is called with the password of an index.
/// Errors: `config` if no index has it, `check` for another hash or an unsafe archive, `transient`
/// or `environment` if an index does not respond. Nothing is left in `directory` after an error.
Result<UnpackedSdist> fetch_sdist(ports::Http& http, const env::PipIndexes& indexes,
                                  const SdistRequest& request, const MaskSecret& mask);

}  // namespace pinwheel::host
