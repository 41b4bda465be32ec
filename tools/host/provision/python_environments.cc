#include "host/provision/python_environments.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/parallel.h"
#include "base/text.h"
#include "env/commands.h"
#include "env/environment_marker.h"
#include "env/gpu_packages.h"
#include "env/shared_files.h"
#include "host/provision/complete_directory.h"
#include "host/provision/conda_prefix.h"
#include "host/provision/env_pip.h"
#include "host/provision/interpreters.h"
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

/// The inputs for sharing a package: the two environments, and its RECORD below them.
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

/// Links the files, then compares the linked files with RECORD: another process may write to the
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

/// A package that could not be shared completely is removed; pip would leave the directories that
/// remain.
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

/// Adds the large packages to a new environment that a complete one of the same interpreter has
/// from the same wheels: files are the same by hard links (copies where there are none), and
/// scripts and byte code name the new environment, as if pip had installed them. Every file with a
/// hash in RECORD is compared with it. Returns the packages that remain to be installed, torch
/// among them if it was not shared. A package that could not be shared completely is removed again,
/// so if the other environment is removed meanwhile, or damaged, pip simply installs the package.
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

/// Waits until no other process is making an environment with the same torch in that directory:
/// then its files can be shared. Null without torch.
Result<std::unique_ptr<ports::FileLock>> wait_for_torch(const EnvMachine& machine,
                                                        const fs::path& root,
                                                        const env::Resolution& resolution) {
  const env::PipPackage* const torch = resolution.find("torch");
  if (torch == nullptr) return std::unique_ptr<ports::FileLock>();
  TRY_DONE(machine.files.make_directories(root));
  return machine.files.lock(root / fmt::format("torch-{}.lock", torch->sha256.substr(0, 16)),
                            ports::IfLocked::wait);
}

constexpr const char* kRequirements = "pinwheel-requirements.txt";

fs::path root_of(const EnvMachine& machine) {
  return machine.cache / "environments";
}

/// Installs the packages that are not shared.
Done install(const EnvMachine& machine, const env::Pip& pip, const BaseEnvironment& base,
             const env::Resolution& remaining) {
  const auto part = [&](env::TorchPart which, const std::string& index) -> Done {
    const std::string text = env::requirements_text(remaining, which);
    if (text.empty()) return {};
    const fs::path file = base.directory / kRequirements;
    TRY_DONE(machine.files.write(file, text));
    return run_pip(machine, env::install_exact(pip, base.python, file.string(), index),
                   "installing the environment");
  };
  // The extra index is only for torch: anybody could register any other name there.
  TRY_DONE(part(env::TorchPart::only, base.resolution.torch_index));
  TRY_DONE(part(env::TorchPart::without, {}));
  // Shared files must not be visible in an environment: two of them at one path are identical.
  TRY_DONE(machine.files.remove_all(base.directory / kRequirements));
  for (const env::PipPackage& package : base.resolution.absent) {
    for (const auto& [name, text] : env::files_of_absent(package)) {
      TRY_DONE(machine.files.write(fs::path(base.site_packages) / name, text));
    }
  }
  return {};
}

/// `torch_shared` is called when no other process needs to wait for this environment.
Result<env::EnvironmentMarker> make(const EnvMachine& machine, const BaseEnvironment& base,
                                    const std::function<void()>& torch_shared) {
  TRY(const env::Pip pip, own_pip(machine, base.interpreter));
  TRY_DONE(run_venv(machine,
                    env::make_venv(base.interpreter, base.directory.string(),
                                   env::bundled_pip(base.purpose), pip.variables),
                    base.directory.string()));
  const env::Resolution remaining = share_packages(machine, base);
  if (remaining.find("torch") == nullptr) torch_shared();
  TRY_DONE(check_space(machine, base.directory, env::bytes_needed(remaining), "the environment"));
  TRY_DONE(install(machine, pip, base, remaining));
  return env::EnvironmentMarker{base.interpreter.path, base.resolution, 0, {}};
}

}  // namespace

Result<BaseEnvironment> create_environment(const EnvMachine& machine, const env::Request& request,
                                           const env::Resolution& resolution) {
  BaseEnvironment base;
  if (resolution.conda.empty()) {
    TRY(base.interpreter, interpreter_for(machine, request.python));
  } else {
    TRY(CondaPrefix prefix, make_conda_prefix(machine, request.python, resolution.conda));
    base.conda = std::move(prefix.directory);
    base.interpreter = std::move(prefix.interpreter);
  }
  if (env::full_version(base.interpreter) != resolution.python) {
    return fail(ErrorKind::environment,
                fmt::format("the packages were resolved for Python {}, but this machine has {}",
                            resolution.python, env::full_version(base.interpreter)),
                "install that Python, or resolve again with `--refresh`");
  }
  base.resolution = resolution;
  base.purpose = request.purpose;
  base.id = env::environment_id(resolution, base.interpreter, base.purpose);
  base.directory = root_of(machine) / base.id;
  base.python = env::venv_python(base.directory.string());
  base.site_packages = env::site_packages(base.directory.string(), base.interpreter);
  TRY(const bool there, is_complete(machine, base.directory));
  std::unique_ptr<ports::FileLock> turn;
  if (!there) {
    TRY(turn, wait_for_torch(machine, root_of(machine), resolution));
  }
  const auto make_or_remove = [&] {
    Result<env::EnvironmentMarker> made = make(machine, base, [&turn] { turn.reset(); });
    // A partial environment is useless and may be gigabytes; only the original error is reported.
    if (!made) static_cast<void>(machine.files.remove_all(base.directory));
    return made;
  };
  TRY_DONE(make_once(machine, base.directory, make_or_remove));
  return base;
}

Result<bool> has_environment(const EnvMachine& machine, const env::Resolution& resolution,
                             const env::Interpreter& interpreter, env::Purpose purpose) {
  return is_complete(machine,
                     root_of(machine) / env::environment_id(resolution, interpreter, purpose));
}

}  // namespace pinwheel::host
