#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/request.h"

namespace pinwheel::env {

/// One file that pip chose.
struct PipPackage {
  std::string name;      ///< normalised (PEP 503)
  std::string version;   ///< "2.13.0+cpu"
  std::string file;      ///< the file's name, without where it lies
  std::string sha256;    ///< hex
  std::string url = {};  ///< where pip found it; recorded as `public_url` gives it, or not at all

  bool operator==(const PipPackage&) const = default;
};

/// One package that a conda solver chose.
struct CondaPackage {
  std::string name;
  std::string version;
  std::string build;     ///< "h5eee18b_0"
  std::string subdir;    ///< "linux-64" or "noarch"
  std::string url;       ///< without credentials
  std::string sha256;    ///< hex
  std::string md5 = {};  ///< hex; what conda before 4.4 and `@EXPLICIT` lists know
  uint64_t size = 0;     ///< bytes; 0: unknown

  bool operator==(const CondaPackage&) const = default;
};

/// The exact packages that a request means, found once and kept: what enters build keys.
struct Resolution {
  std::string request;                   ///< digest of the request
  std::string python;                    ///< exact, "3.11.7", "3.13.0t"
  std::vector<PipPackage> packages;      ///< sorted by name
  std::vector<CondaPackage> conda = {};  ///< sorted by name; empty where Python is no conda's
  /// What torch depends on and is not installed where there is no GPU; sorted by name.
  std::vector<PipPackage> absent = {};
  std::string torch_index = {};  ///< the extra index that torch came from; empty: the user's own
  std::string pip = {};          ///< version of the pip that resolved
  std::chrono::sys_seconds at = {};  ///< when

  bool operator==(const Resolution&) const = default;

  /// Hex digest over the names, versions and hashes and the Python version; not over time, place or
  /// pip, so the same packages found elsewhere tomorrow give the same key.
  std::string digest() const;
  /// The package of that normalised name; nullptr when there is none.
  const PipPackage* find(std::string_view name) const;
};

/// Reads the file that `pip install --report` wrote (pip's "Installation Report", format 1).
/// `environment` when a package has no hash or is a source tree: it could not be installed again.
struct PipReport {
  std::string pip;
  std::vector<PipPackage> packages;
};
Result<PipReport> parse_pip_report(std::string_view json);

std::string to_json(const Resolution& resolution);
/// The inverse. `environment`: damaged, or of a format that this pinwheel does not know.
Result<Resolution> parse_resolution(std::string_view json);

enum class TorchPart { with, without, only };
/// A requirements file for `pip install --require-hashes`; torch may be taken apart because its
/// extra index is for torch alone.
std::string requirements_text(const Resolution& resolution, TorchPart part);
/// A constraints file: every package of the resolution, the absent ones too, pinned.
std::string constraints_text(const Resolution& resolution);

/// Whether what the request means may change from day to day on purpose (`--pre`): it is resolved
/// anew in each run.
bool is_nightly(const Request& request);

/// "--pre torch" taken apart: options for pip, and the requirement.
struct Spec {
  std::vector<std::string> options;
  std::string requirement;
};
Spec parse_spec(std::string_view spec);

}  // namespace pinwheel::env
