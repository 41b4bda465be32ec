#include "env/shared_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/text.h"
#include "pep/name.h"

namespace pinwheel::env {
namespace {

constexpr std::string_view kDistInfo = ".dist-info";

Error not_shared(const std::string& path, std::string_view why) {
  return {ErrorKind::environment, fmt::format("{} {}", quoted(path), why)};
}

}  // namespace

Result<SharedPackage> shared_package(const std::vector<wheel::RecordRow>& rows,
                                     std::string_view site_packages, std::string_view record) {
  SharedPackage package;
  for (const wheel::RecordRow& row : rows) {
    const std::string path =
        (std::filesystem::path(site_packages) / row.path).lexically_normal().string();
    if (path == record) continue;
    if (path.empty() || path.starts_with('/') || path == ".." || path.starts_with("../")) {
      return fail(not_shared(row.path, "is outside the environment"));
    }
    const bool byte_code = path.ends_with(".pyc");
    if (row.algorithm != "sha256" && !(byte_code && row.algorithm.empty())) {
      return fail(not_shared(row.path, "has no sha256"));
    }
    const bool rewritten = byte_code || path.starts_with("bin/");
    package.files.push_back(
        {path, row.path, rewritten ? Transfer::rewrite : Transfer::link, row.digest});
    package.bytes += row.size.value_or(0);
  }
  return package;
}

bool describes(std::string_view dist_info, std::string_view name, std::string_view version) {
  if (!dist_info.ends_with(kDistInfo)) return false;
  dist_info.remove_suffix(kDistInfo.size());
  const size_t dash = dist_info.find('-');
  return dash != std::string_view::npos && dist_info.substr(dash + 1) == version &&
         pep::normalize_name(dist_info.substr(0, dash)) == name;
}

}  // namespace pinwheel::env
