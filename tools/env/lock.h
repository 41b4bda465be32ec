#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"

namespace pinwheel::env {

/// The image as it was when the lock was written.
struct LockedImage {
  std::string id;         ///< "sha256:..."; empty where only the key was known
  std::string key;        ///< of its contents
  std::string base = {};  ///< "debian@sha256:...", or the base's id where no registry gave it

  bool operator==(const LockedImage&) const = default;
};

/// A toolkit beside an environment.
struct LockedToolkit {
  std::string name;          ///< "cuda/13.0"
  std::string release = {};  ///< of the machine's own, "13.0.88"; empty where it had none
  std::string file = {};     ///< the lock of its packages; empty where they are not of PyPI

  bool operator==(const LockedToolkit&) const = default;
};

/// An environment, or a toolkit of PyPI, as a file that is committed beside the matrix: PEP 751,
/// so that pip and uv install from it as well, and a table `tool.pinwheel` for the rest.
///
/// PEP 751 wants a place for each file, and a place may give away what is the machine's own. So a
/// file has a `url` where anybody finds it (env/public_url.h), and else the `path` of a file of its
/// name beside the lock: true as soon as somebody puts it there, and naming no host. pinwheel
/// itself takes neither: it asks the indexes of whoever installs for name, version and hash.
///
/// Nothing in the text is of the moment (no time, no version of pip or pinwheel), so the same
/// packages give the same bytes.
struct Lock {
  std::string request;  ///< digest of `asked`
  Request asked;        ///< without credentials: to name what differs
  Resolution resolution;
  std::string machine;                       ///< "x86_64"
  std::vector<std::string> variants = {};    ///< those of the matrix that use it, in its order
  std::optional<LockedImage> image = {};     ///< none on the host
  std::vector<LockedToolkit> toolkits = {};  ///< sorted by name
  /// What of the pip configuration decided packages: switches with their values ("pre=true"), and
  /// by name alone those that hold places ("find-links").
  std::vector<std::string> pip_options = {};
};

/// The lock of a request that was resolved: `request` and `asked` are set, `resolution` is without
/// what a lock leaves out.
Lock make_lock(const Request& request, Resolution resolution, const std::string& machine);

/// The text of a lock.
std::string to_pylock(const Lock& lock);

/// The inverse. `drift`, naming `file`, when the text is not such a lock, of a later schema, or was
/// changed by hand: then the digest over its packages does not fit them.
Result<Lock> parse_pylock(std::string_view text, const std::string& file);

/// What of `pip config list` decides which packages are found, as `Lock::pip_options`, sorted.
std::vector<std::string> deciding_pip_options(std::string_view config_list);

}  // namespace pinwheel::env
