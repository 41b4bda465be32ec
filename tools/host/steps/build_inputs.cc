#include "host/steps/build_inputs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "host/steps/build_command.h"
#include "host/steps/step_context.h"
#include "host/system/digest_file.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Where linkers search, after the directories of `-L`. Those of the other architecture do not
/// exist, or have libraries that a cross compiler may use.
constexpr std::array<const char*, 12> kLibraryDirectories = {"/usr/local/lib/x86_64-linux-gnu",
                                                             "/usr/local/lib/aarch64-linux-gnu",
                                                             "/usr/local/lib64",
                                                             "/usr/local/lib",
                                                             "/lib/x86_64-linux-gnu",
                                                             "/lib/aarch64-linux-gnu",
                                                             "/usr/lib/x86_64-linux-gnu",
                                                             "/usr/lib/aarch64-linux-gnu",
                                                             "/lib64",
                                                             "/usr/lib64",
                                                             "/lib",
                                                             "/usr/lib"};

/// What compilers link without an option. The files of gcc itself, such as `libgcc.a`, belong to
/// the same package as the compiler. musl has only `libc.so`, which is a script in glibc.
constexpr std::array<const char*, 9> kSystemLibraries = {
    "libc.so.6",     "libc.so", "libc_nonshared.a", "libm.so.6", "libstdc++.so.6",
    "libgcc_s.so.1", "crt1.o",  "Scrt1.o",          "crti.o"};

constexpr int64_t kNanosecondsOfSecond = 1'000'000'000;

std::string root_of(const BuildSpace& space) {
  return space.seen(kSourceName).parent_path().string();
}

bool is_regular(const fs::path& file) {
  std::error_code code;
  return fs::is_regular_file(file, code);
}

/// The compilers and linkers that a build may use, as ninja would name them; the first of each name
/// on its PATH. Ninja records which headers they read, but not which programs they are.
std::set<std::string> programs_of(const BuildSpace& space,
                                  const std::map<std::string, std::string>& variables) {
  const std::string root = root_of(space) + "/";
  std::vector<std::string> names = {"cc", "c++", "gcc", "g++", "as", "ld", "nvcc"};
  for (const char* const variable : {"CC", "CXX", "CUDACXX", "CUDAHOSTCXX", "HIPCXX"}) {
    const std::string value = value_at(variables, variable);
    names.push_back(value.substr(0, value.find(' ')));
  }
  std::set<std::string> programs;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    std::vector<std::string> paths = {name};
    if (name.find('/') == std::string::npos) {
      paths = split(value_at(variables, "PATH"), ':');
      for (std::string& path : paths) path += "/" + name;
    }
    for (const std::string& path : paths) {
      const bool below = path.starts_with(root);
      const std::string known = below ? path.substr(root.size()) : path;
      const fs::path file = below ? space.real(known) : fs::path(path);
      if (!path.starts_with('/') || !is_regular(file)) continue;
      programs.insert(known);
      break;
    }
  }
  return programs;
}

/// The programs, and the libraries that are linked without an option.
std::vector<std::string> used_by_all(const BuildSpace& space,
                                     const std::map<std::string, std::string>& variables) {
  std::set<std::string> paths = programs_of(space, variables);
  for (const char* const name : kSystemLibraries) {
    for (const char* const directory : kLibraryDirectories) {
      const std::string path = fmt::format("{}/{}", directory, name);
      if (!is_regular(path)) continue;
      paths.insert(path);
      break;
    }
  }
  return {paths.begin(), paths.end()};
}

/// The directories of LIBRARY_PATH outside the root.
std::vector<std::string> outer_library_path(const BuildSpace& space,
                                            const std::map<std::string, std::string>& variables) {
  std::vector<std::string> directories = split(value_at(variables, "LIBRARY_PATH"), ':');
  const std::string root = root_of(space) + "/";
  std::erase_if(directories, [&root](const std::string& directory) {
    return !directory.starts_with('/') || directory.starts_with(root);
  });
  return directories;
}

int64_t nanoseconds_of(const timespec& time) {
  return time.tv_sec * kNanosecondsOfSecond + time.tv_nsec;
}

}  // namespace

BuildInputs::BuildInputs(const BuildSpace& space,
                         const std::map<std::string, std::string>& variables, BuildMachine machine)
    : space_(space),
      machine_(machine),
      library_directories_(outer_library_path(space, variables)),
      always_(machine == BuildMachine::image ? std::vector<std::string>()
                                             : used_by_all(space, variables)) {}

std::optional<BuildInputs::Identity> BuildInputs::identity_of(const fs::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return Identity{status.st_dev, status.st_ino, static_cast<uint64_t>(status.st_size),
                  nanoseconds_of(status.st_mtim), nanoseconds_of(status.st_ctim)};
}

fs::path BuildInputs::real(const std::string& path) const {
  return path.starts_with('/') ? fs::path(path) : space_.real(path);
}

bool BuildInputs::is_mounted(const std::string& path) const {
  return std::ranges::any_of(space_.mounts(), [&](const BuildMount& mount) {
    return path.starts_with(space_.seen(mount.at).string() + "/");
  });
}

Result<std::string> BuildInputs::digest_of(const std::string& path) {
  const fs::path file = real(path);
  // Taken before the file is read, so that a change during the read is noticed the next time.
  const std::optional<Identity> identity = identity_of(file);
  const auto known = digests_.find(path);
  if (known != digests_.end() && known->second.identity == identity) return known->second.sha256;
  std::string sha256;
  if (identity) {
    Result<FileDigest> digest = digest_file(file);
    if (!digest) return fail(ErrorKind::check, digest.error().message);
    sha256 = std::move(digest->sha256);
  }
  if (known == digests_.end()) {
    digests_[path] = {identity, sha256};
  } else if (known->second.sha256 != sha256) {
    return fail(ErrorKind::check, fmt::format("{} changed while the build ran", quoted(path)));
  } else {
    known->second.identity = identity;
  }
  return sha256;
}

void BuildInputs::add_library(const std::string& name, const std::vector<std::string>& directories,
                              std::set<std::string>& paths) const {
  std::vector<std::string> files = {"lib" + name + ".so", "lib" + name + ".a"};
  if (name.starts_with(':')) files = {name.substr(1)};
  // A directory without the library counts: on another machine, a linker might find one there.
  std::set<std::string> searched;
  for (const std::string& directory : directories) {
    bool found = false;
    for (const std::string& file : files) {
      const std::string path = directory + "/" + file;
      searched.insert(path);
      found = found || is_regular(path);
    }
    if (!found) continue;
    paths.merge(searched);
    return;
  }
  // It is a package's, below the root.
}

Result<BuildInputs::Digests> BuildInputs::digests(const plan::CompleteFiles& complete,
                                                  const std::stop_token& stop) {
  std::set<std::string> paths(always_.begin(), always_.end());
  for (const std::string& input : complete.inputs) {
    // The key covers the source, and the checkpoint covers the files that the build made there.
    if (input.starts_with("src/")) continue;
    if (machine_ == BuildMachine::image && input.starts_with('/')) continue;
    paths.insert(input);
  }
  if (machine_ == BuildMachine::host) {
    for (const std::string& file : complete.declared.files) {
      // Where a build does not see a fixed path, its packages are outside the root. The key names
      // the exact packages, and a script among them has the path of its interpreter on this
      // machine.
      if (!is_mounted(file)) paths.insert(file);
    }
    std::vector<std::string> directories = complete.declared.library_directories;
    std::erase_if(directories, [this](const std::string& each) { return is_mounted(each); });
    directories.insert(directories.end(), library_directories_.begin(), library_directories_.end());
    directories.insert(directories.end(), kLibraryDirectories.begin(), kLibraryDirectories.end());
    for (const std::string& name : complete.declared.libraries) {
      add_library(name, directories, paths);
    }
  }
  Digests found;
  for (const std::string& path : paths) {
    TRY_DONE(check_not_stopped(stop));
    TRY(found[path], digest_of(path));
  }
  return found;
}

Done BuildInputs::compare(const Digests& expected, const std::stop_token& stop) {
  for (const std::string& path : always_) {
    if (expected.contains(path)) continue;
    return fail(ErrorKind::check, fmt::format("its build did not use {}", quoted(path)));
  }
  for (const auto& [path, sha256] : expected) {
    TRY_DONE(check_not_stopped(stop));
    TRY(const std::string found, digest_of(path));
    if (found == sha256) continue;
    return fail(ErrorKind::check, fmt::format("{} differs on this machine", quoted(path)));
  }
  return {};
}

}  // namespace pinwheel::host
