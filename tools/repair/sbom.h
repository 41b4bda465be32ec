#pragma once
#include <string>
#include <vector>

#include "repair/repair_plan.h"

namespace pinwheel::repair {

/// A file with a package's license.
struct LicenseFile {
  std::string name;  ///< without directories: "copyright"
  std::string contents;

  bool operator==(const LicenseFile&) const = default;
};

/// The package of a distribution that a library comes from.
struct OwnerPackage {
  std::string type = {};          ///< "deb", "rpm"
  std::string distribution = {};  ///< ID of os-release: "debian"
  std::string name = {};
  std::string version = {};
  std::string architecture = {};
  std::vector<LicenseFile> license_files = {};

  bool operator==(const OwnerPackage&) const = default;
};

/// The package URL (purl-spec): "pkg:deb/debian/libjpeg62-turbo@1%3A2.1.5-2?arch=amd64".
std::string package_url(const OwnerPackage& package);

/// A grafted library and its package, if known.
struct Component {
  Graft graft;
  OwnerPackage package = {};  ///< no name: unknown
};

/// The bill of materials of the grafts, for `<dist-info>/sboms/` (PEP 770): CycloneDX 1.6 as JSON,
/// without times and serial numbers, so that equal grafts give equal bytes.
std::string sbom(const pep::WheelName& wheel, const std::vector<Component>& components);

}  // namespace pinwheel::repair
