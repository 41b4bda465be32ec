#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"
#include "matrix/matrix.h"

namespace pinwheel::env {

/// The container of an environment (level 1) when the lock was written.
struct LockedImage {
  std::string id;         ///< "sha256:..."; empty if only the key was known
  std::string key;        ///< content key
  std::string base = {};  ///< "debian@sha256:...", or the base's id if it is from no registry

  bool operator==(const LockedImage&) const = default;
};

/// A toolkit used with an environment.
struct LockedToolkit {
  std::string name;          ///< "cuda/13.0"
  std::string release = {};  ///< of the machine's toolkit, "13.0.88"; empty if it had none
  std::string file = {};     ///< the lock of its packages; empty if they are not from PyPI

  bool operator==(const LockedToolkit&) const = default;
};

/// An environment, or a toolkit from PyPI, as a file to commit next to the matrix: PEP 751, so that
/// pip and uv can install from it too, plus a table `tool.pinwheel`.
///
/// PEP 751 requires a location for each file, and a location may reveal private hosts. So a file
/// has a `url` if that is public (env/public_url.h), else the `path` of a file of its name next to
/// the lock: valid as soon as the file is put there, and without a host name. pinwheel itself uses
/// neither: it looks up name, version and hash in the installing user's own indexes.
///
/// The text is reproducible (no time, no version of pip or pinwheel): the same packages produce the
/// same bytes.
struct Lock {
  std::string request;  ///< digest of `asked`
  Request asked;        ///< without credentials; used to name differences
  Resolution resolution;
  std::string machine;                       ///< "x86_64"
  std::vector<std::string> variants = {};    ///< that use it, in matrix order
  std::optional<LockedImage> image = {};     ///< level 1; none on the host
  std::vector<LockedToolkit> toolkits = {};  ///< sorted by name
  std::string patchelf = {};  ///< that repairs wheels; empty for a toolkit, and in older locks
  /// The requirements that the backend returned; part of `asked`, stored for the next machine.
  std::optional<matrix::BackendAnswer> backend = {};
  /// The pip settings that affect which packages are chosen: switches with their values
  /// ("pre=true"), and settings with locations by name only ("find-links").
  std::vector<std::string> pip_options = {};
};

/// The lock of a resolved request: sets `request` and `asked`, and removes from `resolution` what a
/// lock omits.
Lock make_lock(const Request& request, Resolution resolution, const std::string& machine);

/// The text of a lock.
std::string to_pylock(const Lock& lock);

/// The inverse. `drift`, naming `file`, if the text is not such a lock, has a later schema, or was
/// edited by hand: then the digest does not match its packages.
Result<Lock> parse_pylock(std::string_view text, const std::string& file);

/// The settings of `pip config list` that affect which packages are found, as in
/// `Lock::pip_options`, sorted.
std::vector<std::string> deciding_pip_options(std::string_view config_list);

/// One difference from the lock.
struct LockDifference {
  std::string what;    ///< "numpy", "python", "requirement"
  std::string locked;  ///< "1.26.4"; empty: added
  std::string now;     ///< "2.0.0"; empty: removed

  bool operator==(const LockDifference&) const = default;
};

/// "`numpy`: 1.26.4 -> 2.0.0", "`numpy` 2.0.0 is new", "`numpy` 1.26.4 is gone".
std::string to_text(const LockDifference& difference);

/// The differences between a request and the locked one; empty if they are equal.
std::vector<LockDifference> request_differences(const Lock& locked, const Request& now);

/// The differences between the packages of two resolutions; two builds of the same version differ
/// by file or hash.
std::vector<LockDifference> package_differences(const Resolution& locked, const Resolution& now);

}  // namespace pinwheel::env
