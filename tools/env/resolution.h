#pragma once
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "pep/requirement.h"

namespace pinwheel::env {

/// One file that pip chose.
struct PipPackage {
  std::string name;      ///< normalized (PEP 503)
  std::string version;   ///< "2.13.0+cpu"
  std::string file;      ///< the file's name, without a directory
  std::string sha256;    ///< hex
  std::string url = {};  ///< where pip found it; recorded only in the form of `public_url`

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
  std::string md5 = {};  ///< hex; for conda before 4.4 and `@EXPLICIT` lists
  uint64_t size = 0;     ///< bytes; 0: unknown

  bool operator==(const CondaPackage&) const = default;
};

/// The exact packages for a request, resolved once and stored. Part of build keys.
struct Resolution {
  std::string request;                   ///< digest of the request
  std::string python;                    ///< exact, "3.11.7", "3.13.0t"
  std::vector<PipPackage> packages;      ///< sorted by name
  std::vector<CondaPackage> conda = {};  ///< sorted by name; empty unless Python comes from conda
  /// Dependencies of torch that are not installed on a machine without a GPU; sorted by name.
  std::vector<PipPackage> absent = {};
  std::string torch_index = {};  ///< the index that torch came from; empty: as pip was configured
  std::string pip = {};          ///< version of the pip that resolved
  std::chrono::sys_seconds at = {};  ///< time of the resolution

  bool operator==(const Resolution&) const = default;

  /// Hex digest over names, versions and hashes and the Python version; not over time, location or
  /// pip, so the same packages found elsewhere later have the same key.
  std::string digest() const;
  /// The package with that normalized name; nullptr if there is none.
  const PipPackage* find(std::string_view name) const;
};

/// The report of `pip install --report` (pip's "Installation Report", format 1). Parsing fails with
/// `environment` if a package has no hash or is a source tree: it could not be installed again.
struct PipReport {
  std::string pip;
  std::vector<PipPackage> packages;
  /// The requirements of each package, as its METADATA has them, by normalized name.
  std::map<std::string, std::vector<std::string>> requires_dist = {};
};
Result<PipReport> parse_pip_report(std::string_view json);

std::string to_json(const Resolution& resolution);
/// The inverse. `environment`: damaged, or an unknown format.
Result<Resolution> parse_resolution(std::string_view json);

enum class TorchPart { with, without, only };
/// A requirements file for `pip install --require-hashes`; torch can be separated because its extra
/// index is for torch only.
std::string requirements_text(const Resolution& resolution, TorchPart part);
/// A constraints file for packages that are installed on top of an environment, including absent
/// packages. For builds, it pins every package. For tests, it pins torch and its GPU libraries: all
/// other dependencies of torch may be replaced, as in a user's environment.
std::string constraints_text(const Resolution& resolution, Purpose purpose);
/// A constraints file that pins every package of the resolution except torch and the packages of
/// the requirements `upgraded`, which are lines of it if they name versions.
std::string constraints_text(const Resolution& resolution,
                             const std::vector<pep::Requirement>& upgraded);

/// Whether one of the requirements is for the package with this normalized name.
bool is_named(const std::vector<pep::Requirement>& requirements, std::string_view name);

/// Whether the request uses nightly builds (`--pre`): it is resolved again in each run.
bool is_nightly(const Request& request);

/// "--pre torch" split into options for pip and the requirement.
struct Spec {
  std::vector<std::string> options;
  std::string requirement;
};
Spec parse_spec(std::string_view spec);

}  // namespace pinwheel::env
