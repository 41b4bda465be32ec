#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/artifact.h"

namespace pinwheel::publish {

/// The file name of a release's bill of materials.
inline constexpr const char* kSbomName = "pinwheel-sbom.cdx.json";

/// A bill of materials that a wheel contains (PEP 770).
struct ContainedSbom {
  std::string member;  ///< "demo_ops-1.0.dist-info/sboms/auditwheel.cdx.json"
  std::string text;
};

/// A file of the release, with the bills of materials that it contains.
struct SbomFile {
  std::string filename;
  std::string sha256;  ///< hexadecimal
  std::string name;    ///< of the project
  std::string version = {};
  std::vector<std::string> requirements = {};  ///< Requires-Dist
  std::vector<ContainedSbom> contained = {};
};

/// The file without the bills of materials. Kind `check` if its metadata cannot be read.
Result<SbomFile> sbom_file(const Artifact& file);

/// The bill of materials of a release (https://cyclonedx.org/docs/1.6/json/): its files with their
/// digests, the projects that they require, and the components of the CycloneDX documents that they
/// contain, with type, name, version, package URL, description and hashes. Any other document is
/// only named, as the property `pinwheel:sbom` of its file. References are unique in the document.
/// Without times and serial numbers: the same files give the same bytes in any order.
std::string release_sbom(const std::string& project, const std::string& version,
                         std::vector<SbomFile> files);

}  // namespace pinwheel::publish
