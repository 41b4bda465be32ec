#include "host/provision/shared_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/parallel.h"
#include "base/text.h"
#include "env/environment_marker.h"
#include "env/shared_files.h"
#include "host/provision/complete_directory.h"
#include "host/system/digest_file.h"
#include "host/system/share_file.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// A complete environment, whose files may be shared.
struct Donor {
  fs::path directory;
  env::Resolution resolution;
};

/// What a package is shared with: the two environments, and its RECORD below them.
struct Sharing {
  const fs::path& from;
  const fs::path& to;
  std::string record;
};

std::vector<Donor> donors(const EnvMachine& machine, const BaseEnvironment& base) {
  std::vector<Donor> found;
  const fs::path root = base.directory.parent_path();
  for (const std::string& name : machine.files.list(root).value_or(std::vector<std::string>())) {
    const Result<std::string> text = machine.files.read(root / name / kCompleteMarker);
    if (!text || root / name == base.directory) continue;
    Result<env::EnvironmentMarker> marker = env::parse_environment_marker(*text);
    // Byte code is replaced in place, so the paths must be of the same length.
    if (!marker || marker->interpreter != base.interpreter.path ||
        marker->resolution.python != base.resolution.python ||
        (root / name).string().size() != base.directory.string().size()) {
      continue;
    }
    found.push_back({root / name, std::move(marker->resolution)});
  }
  return found;
}

bool has_same(const Donor& donor, const env::PipPackage& package) {
  const env::PipPackage* const other = donor.resolution.find(package.name);
  return other != nullptr && other->version == package.version && other->sha256 == package.sha256;
}

/// The path of a package's RECORD below an environment.
std::optional<std::string> record_below(const EnvMachine& machine, const fs::path& site_packages,
                                        const std::string& below, const env::PipPackage& package) {
  std::optional<std::string> found;
  for (const std::string& name :
       machine.files.list(site_packages).value_or(std::vector<std::string>())) {
    if (!env::describes(name, package.name, package.version)) continue;
    if (found) return std::nullopt;
    found = below + "/" + name + "/RECORD";
  }
  return found;
}

/// A sha256 in hex as RECORD writes it.
std::string as_in_record(std::string_view hex) {
  std::string bytes;
  for (size_t at = 0; at + 1 < hex.size(); at += 2) {
    uint8_t byte = 0;
    std::from_chars(hex.data() + at, hex.data() + at + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return base64url(bytes);
}

std::string hash_of(std::string_view bytes) {
  return as_in_record(sha256_hex(bytes));
}

/// Copies a script or byte code for the new environment; returns its new sha256, which is empty if
/// RECORD has none.
Result<std::string> rewrite(const EnvMachine& machine, const Sharing& sharing,
                            const env::SharedFile& file) {
  TRY(std::string bytes, machine.files.read(sharing.from / file.path));
  if (!file.sha256.empty() && hash_of(bytes) != file.sha256) {
    return fail(ErrorKind::check,
                fmt::format("{} does not match RECORD", pinwheel::quoted(file.path)));
  }
  bytes = replace_all(std::move(bytes), sharing.from.string(), sharing.to.string());
  TRY_DONE(write_like(sharing.to / file.path, bytes, sharing.from / file.path));
  return file.sha256.empty() ? std::string() : hash_of(bytes);
}

Done make_parents(const EnvMachine& machine, const Sharing& sharing,
                  const std::vector<env::SharedFile>& files) {
  std::set<fs::path> parents;
  for (const env::SharedFile& file : files) {
    if (parents.insert((sharing.to / file.path).parent_path()).second) {
      TRY_DONE(machine.files.make_directories((sharing.to / file.path).parent_path()));
    }
  }
  return machine.files.make_directories((sharing.to / sharing.record).parent_path());
}

/// Links the files, then compares what was linked with RECORD: another process may write to the
/// other environment or remove it.
Done link_files(const Sharing& sharing, const std::vector<env::SharedFile>& files) {
  std::vector<const env::SharedFile*> linked;
  std::vector<uint64_t> costs;
  for (const env::SharedFile& file : files) {
    if (file.transfer != env::Transfer::link) continue;
    const fs::path from = sharing.from / file.path;
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(from, error))) {
      return fail(ErrorKind::environment,
                  fmt::format("{} is not a file", pinwheel::quoted(from.string())));
    }
    TRY_DONE(share_file(from, sharing.to / file.path));
    linked.push_back(&file);
    costs.push_back(fs::file_size(sharing.to / file.path, error));
  }
  std::atomic<bool> same = true;
  run_jobs(costs, {.threads = usable_processors()}, [&](size_t at) {
    if (!same) return;
    const Result<FileDigest> digest = digest_file(sharing.to / linked[at]->path);
    if (!digest || as_in_record(digest->sha256) != linked[at]->sha256) same = false;
  });
  if (same) return {};
  return fail(ErrorKind::check, "its files do not match RECORD");
}

/// Shares the files; RECORD is written last, with the new hashes of scripts.
Done share_files(const EnvMachine& machine, const Sharing& sharing, std::string record,
                 const std::vector<env::SharedFile>& files) {
  TRY_DONE(make_parents(machine, sharing, files));
  for (const env::SharedFile& file : files) {
    if (file.transfer != env::Transfer::rewrite) continue;
    TRY(const std::string hash, rewrite(machine, sharing, file));
    if (hash == file.sha256) continue;
    record =
        replace_all(std::move(record), fmt::format("{},sha256={},", file.record_path, file.sha256),
                    fmt::format("{},sha256={},", file.record_path, hash));
  }
  TRY_DONE(link_files(sharing, files));
  return write_like(sharing.to / sharing.record, record, sharing.from / sharing.record);
}

/// What could not be shared as a whole is removed; pip writes over directories that remain.
void remove_files(const EnvMachine& machine, const Sharing& sharing,
                  const std::vector<env::SharedFile>& files) {
  for (const env::SharedFile& file : files) {
    static_cast<void>(machine.files.remove_all(sharing.to / file.path));
  }
  static_cast<void>(machine.files.remove_all((sharing.to / sharing.record).parent_path()));
}

/// Whether the package was shared with that environment.
bool share(const EnvMachine& machine, const Donor& donor, const BaseEnvironment& base,
           const env::PipPackage& package) {
  const std::string below =
      fs::path(base.site_packages).lexically_relative(base.directory).string();
  const auto record = record_below(machine, donor.directory / below, below, package);
  if (!record) return false;
  const Sharing sharing{donor.directory, base.directory, *record};
  Result<std::string> text = machine.files.read(donor.directory / *record);
  if (!text) return false;
  const auto rows = wheel::parse_record(*text);
  if (!rows) return false;
  const auto found = env::shared_package(*rows, below, *record);
  if (!found || found->bytes < env::kLeastShared) return false;
  const Done shared = share_files(machine, sharing, *std::move(text), found->files);
  if (!shared) remove_files(machine, sharing, found->files);
  machine.log->write({ports::LogLevel::info,
                      "share",
                      {{"package", package.name},
                       {"with", donor.directory.string()},
                       {"result", shared ? "shared" : shared.error().message}}});
  return shared.has_value();
}

}  // namespace

env::Resolution share_packages(const EnvMachine& machine, const BaseEnvironment& base) {
  const std::vector<Donor> others = donors(machine, base);
  env::Resolution remaining = base.resolution;
  std::erase_if(remaining.packages, [&](const env::PipPackage& package) {
    return std::any_of(others.begin(), others.end(), [&](const Donor& donor) {
      return has_same(donor, package) && share(machine, donor, base, package);
    });
  });
  return remaining;
}

Result<std::unique_ptr<ports::FileLock>> wait_for_torch(const EnvMachine& machine,
                                                        const fs::path& root,
                                                        const env::Resolution& resolution) {
  const env::PipPackage* const torch = resolution.find("torch");
  if (torch == nullptr) return std::unique_ptr<ports::FileLock>();
  TRY_DONE(machine.files.make_directories(root));
  return machine.files.lock(root / fmt::format("torch-{}.lock", torch->sha256.substr(0, 16)),
                            ports::IfLocked::wait);
}

}  // namespace pinwheel::host
