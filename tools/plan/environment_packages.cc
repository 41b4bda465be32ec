#include "plan/environment_packages.h"

#include <fmt/format.h>

#include <set>

namespace pinwheel::plan {
namespace {

store::StoredPackage package_at(const store::StoredPackages& packages, const std::string& name) {
  const auto found = packages.find(name);
  return found == packages.end() ? store::StoredPackage() : found->second;
}

}  // namespace

store::StoredPackages environment_packages(const env::Resolution& resolution) {
  store::StoredPackages out;
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

std::vector<PackageDifference> package_differences(const store::StoredPackages& then,
                                                   const store::StoredPackages& now) {
  std::set<std::string> names;
  for (const store::StoredPackages* const packages : {&then, &now}) {
    for (const auto& [name, package] : *packages) names.insert(name);
  }
  std::vector<PackageDifference> out;
  for (const std::string& name : names) {
    PackageDifference one{name, package_at(then, name), package_at(now, name)};
    if (one.then != one.now) out.push_back(std::move(one));
  }
  return out;
}

std::string to_text(const PackageDifference& difference) {
  const std::string& then = difference.then.version;
  const std::string& now = difference.now.version;
  if (then.empty()) return fmt::format("{} {} is new", difference.name, now);
  if (now.empty()) return fmt::format("{} {} is gone", difference.name, then);
  if (then == now) return fmt::format("{} {}: another file", difference.name, now);
  return fmt::format("{}: {} -> {}", difference.name, then, now);
}

}  // namespace pinwheel::plan
