#include "env/gpu_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "pep/name.h"
#include "pep/requirement.h"

namespace pinwheel::env {

bool is_gpu_package(const std::string& name) {
  return name.starts_with("nvidia-") || name.starts_with("cuda-") || name == "triton" ||
         name == "pytorch-triton";
}

Resolution without_gpu_packages(Resolution resolution, const Request& request) {
  std::set<std::string> asked;
  for (const std::string& text : request.requirements) {
    const auto requirement = pep::parse_requirement(parse_spec(text).requirement);
    if (requirement) asked.insert(pep::normalize_name(requirement->name));
  }
  std::vector<PipPackage> remaining;
  for (PipPackage& package : resolution.packages) {
    const bool absent = is_gpu_package(package.name) && !asked.contains(package.name);
    if (absent) {
      resolution.absent.push_back({package.name, package.version, {}, {}});
    } else {
      remaining.push_back(std::move(package));
    }
  }
  resolution.packages = std::move(remaining);
  return resolution;
}

std::map<std::string, std::string> files_of_absent(const PipPackage& package) {
  const std::string directory =
      fmt::format("{}-{}.dist-info/", replace_all(package.name, "-", "_"), package.version);
  return {
      {directory + "METADATA", fmt::format("Metadata-Version: 2.1\nName: {}\nVersion: {}\nSummary: "
                                           "Not installed: no GPU on this machine\n",
                                           package.name, package.version)},
      {directory + "INSTALLER", "pinwheel\n"},
      {directory + "RECORD",
       fmt::format("{0}METADATA,,\n{0}INSTALLER,,\n{0}RECORD,,\n", directory)}};
}

}  // namespace pinwheel::env
