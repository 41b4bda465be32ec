#include "plan/environment_packages.h"

#include <fmt/format.h>

namespace pinwheel::plan {

store::InstalledPackages environment_packages(const env::Resolution& resolution) {
  store::InstalledPackages out;
  if (!resolution.python.empty()) out["python"] = {resolution.python};
  for (const env::PipPackage& package : resolution.packages) {
    out[package.name] = {package.version, package.sha256};
  }
  for (const env::PipPackage& package : resolution.absent) {
    out["absent:" + package.name] = {package.version};
  }
  for (const env::CondaPackage& package : resolution.conda) {
    out["conda:" + package.name] = {package.version + " " + package.build, package.sha256};
  }
  // A record with such a package could not be read.
  std::erase_if(out, [](const auto& one) { return one.second.version.empty(); });
  return out;
}

std::string to_text(const PackageDifference& difference) {
  const auto& [name, then, now] = difference;
  if (!then) return fmt::format("{} {} is new", name, now->version);
  if (!now) return fmt::format("{} {} is gone", name, then->version);
  if (then->version == now->version) return fmt::format("{} {}: another file", name, now->version);
  return fmt::format("{}: {} -> {}", name, then->version, now->version);
}

}  // namespace pinwheel::plan
