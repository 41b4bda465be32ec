#include "host/provision/completed_toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
/// Names in a directory, with their targets.
using Links = std::map<std::string, fs::path>;

// Headers that torch's headers include and installed toolkits have. A toolkit with all of these is
// complete: cuDNN and NCCL are not part of any.
constexpr std::array<const char*, 6> kOfToolkits = {"cublas_v2.h",  "cufft.h",    "curand.h",
                                                    "cusolverDn.h", "cusparse.h", "nvtx3"};

void add_entries(const fs::path& directory, Links& links) {
  std::error_code absent;
  for (fs::directory_iterator at(directory, absent), end; !absent && at != end;
       at.increment(absent)) {
    links.emplace(at->path().filename().string(), at->path());
  }
}

/// Linkers look for names without a version.
void add_unversioned(Links& links) {
  const Links versioned = links;
  for (const auto& [name, target] : versioned) {
    const size_t at = name.find(".so.");
    if (at != std::string::npos) links.emplace(name.substr(0, at + 3), target);
  }
}

/// The directories of packages; first the one with most parts of a toolkit.
std::vector<fs::path> package_directories(const fs::path& packages) {
  Links found;
  add_entries(packages, found);
  std::vector<fs::path> directories;
  for (const auto& [name, path] : found) {
    std::error_code absent;
    if (fs::is_directory(path / "include", absent)) directories.push_back(path);
  }
  std::stable_partition(directories.begin(), directories.end(), [](const fs::path& directory) {
    return glob_match("cu[0-9]*", directory.filename().string());
  });
  return directories;
}

/// The contents of a completed prefix, by directory.
struct PrefixLinks {
  Links top;
  Links programs;
  Links headers;
  Links libraries;
};

PrefixLinks prefix_entries(const fs::path& toolkit) {
  PrefixLinks prefix;
  add_entries(toolkit, prefix.top);
  // nvcc uses its own directory's parent as the prefix, and prefers `targets` to `include`.
  for (const char* const name : {"bin", "include", "lib", "lib64", "targets"}) {
    prefix.top.erase(name);
  }
  add_entries(toolkit / "bin", prefix.programs);
  add_entries(toolkit / "include", prefix.headers);
  add_entries(toolkit / "lib64", prefix.libraries);
  add_entries(toolkit / "lib", prefix.libraries);
  return prefix;
}

bool lacks_some(const Links& headers, const Links& offered) {
  return std::any_of(kOfToolkits.begin(), kOfToolkits.end(), [&](const char* name) {
    return offered.contains(name) && !headers.contains(name);
  });
}

Done make_links(ports::Files& files, const Links& links, const fs::path& directory) {
  TRY_DONE(files.make_directories(directory));
  for (const auto& [name, target] : links) {
    std::error_code error;
    fs::create_symlink(target, directory / name, error);
    if (!error) continue;
    return fail(ErrorKind::environment,
                fmt::format("{} cannot be created: {}", quoted((directory / name).string()),
                            error.message()));
  }
  return {};
}

}  // namespace

Result<std::optional<env::Toolkit>> complete_toolkit(ports::Files& files,
                                                     const env::Toolkit& toolkit,
                                                     const fs::path& packages,
                                                     const fs::path& directory) {
  PrefixLinks prefix = prefix_entries(toolkit.prefix);
  Links headers;
  Links libraries;
  for (const fs::path& package : package_directories(packages)) {
    add_entries(package / "include", headers);
    add_entries(package / "lib", libraries);
  }
  const bool usual = prefix.headers.contains("cuda_runtime.h");
  if (!usual || !lacks_some(prefix.headers, headers)) return std::nullopt;
  prefix.headers.merge(headers);
  prefix.libraries.merge(libraries);
  add_unversioned(prefix.libraries);
  prefix.top.emplace("lib64", "lib");
  TRY_DONE(make_links(files, prefix.top, directory));
  TRY_DONE(make_links(files, prefix.programs, directory / "bin"));
  TRY_DONE(make_links(files, prefix.headers, directory / "include"));
  TRY_DONE(make_links(files, prefix.libraries, directory / "lib"));
  return env::cuda_toolkit(directory.string(), toolkit.release);
}

}  // namespace pinwheel::host
