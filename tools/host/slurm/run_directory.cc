#include "host/slurm/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "host/machine/ignored_directory.h"
#include "host/system/open_regular.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// An NFS client notices a new file of another machine when it opens the file, not when it lists
/// the directory.
bool exists_now(const fs::path& path) {
  return open_regular_file(path).has_value();
}

Error cannot_claim(const fs::path& path, int error) {
  return {ErrorKind::environment,
          fmt::format("{} cannot be made: {}", quoted(path.string()), std::strerror(error)),
          std::nullopt, "the directory of jobs must be on a file system with free space"};
}

}  // namespace

Done SlurmRunDirectory::prepare(const std::string& plan) {
  TRY_DONE(make_ignored_directory(files_, path_));
  for (const char* name : {"scripts", "tokens", "results", "ended", "logs"}) {
    TRY_DONE(files_.make_directories(path_ / name));
  }
  const fs::path file = path_ / "plan.json";
  TRY(const auto lock, files_.lock(path_ / "lock", ports::IfLocked::wait));
  if (!exists_now(file)) return files_.write(file, plan);
  TRY(const std::string used, files_.read(file));
  if (used == plan) return {};
  return fail(ErrorKind::environment,
              fmt::format("{} is not the plan of this run", quoted(file.string())),
              "remove its directory when none of its jobs waits or runs");
}

Done SlurmRunDirectory::write_script(const std::string& submission, const std::string& text) {
  return files_.write(path_ / "scripts" / (submission + ".sh"), text, 0755);
}

Result<bool> SlurmRunDirectory::claim(const std::string& token, const slurm::JobClaim& claim) {
  const fs::path path = path_ / "tokens" / token;
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.get() < 0 && errno == EEXIST) return false;
  if (file.get() < 0) return fail(cannot_claim(path, errno));
  const std::string text = slurm::claim_json(claim);
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size()) && ::fsync(file.get()) == 0) return true;
  const int error = written < 0 ? errno : ENOSPC;
  ::unlink(path.c_str());
  return fail(cannot_claim(path, error));
}

void SlurmRunDirectory::release(const std::string& token) {
  static_cast<void>(files_.remove_all(path_ / "tokens" / token));
}

std::optional<slurm::JobClaim> SlurmRunDirectory::claim_of(const std::string& token) const {
  const fs::path path = path_ / "tokens" / token;
  if (!exists_now(path)) return std::nullopt;
  const Result<std::string> text = files_.read(path);
  Result<slurm::JobClaim> claim = slurm::parse_claim(text ? *text : "");
  // A caller that was killed while it wrote the claim has submitted nothing.
  if (!claim) return slurm::JobClaim{};
  return *std::move(claim);
}

std::optional<std::string> SlurmRunDirectory::result_of(const std::string& token) const {
  const fs::path path = path_ / "results" / (token + ".json");
  if (!exists_now(path)) return std::nullopt;
  Result<std::string> text = files_.read(path);
  if (!text) return std::nullopt;
  return *std::move(text);
}

std::set<std::string> SlurmRunDirectory::names_in(const char* part) const {
  const Result<std::vector<std::string>> names = files_.list(path_ / part);
  if (!names) return {};
  return {names->begin(), names->end()};
}

std::set<std::string> SlurmRunDirectory::claimed() const {
  return names_in("tokens");
}

std::set<std::string> SlurmRunDirectory::with_result() const {
  std::set<std::string> tokens;
  for (const std::string& name : names_in("results")) {
    if (name.ends_with(".json")) tokens.insert(fs::path(name).stem().string());
  }
  return tokens;
}

void SlurmRunDirectory::mark_ended(const std::string& token, const std::string& state) {
  // Without the mark, a later run sees the same end once more.
  static_cast<void>(files_.write(path_ / "ended" / token, state + "\n"));
}

std::set<std::string> SlurmRunDirectory::ended() const {
  return names_in("ended");
}

std::string SlurmRunDirectory::mark_of(const std::string& token) const {
  const fs::path path = path_ / "ended" / token;
  if (!exists_now(path)) return {};
  const Result<std::string> text = files_.read(path);
  return text ? std::string(trim(*text)) : std::string();
}

fs::path SlurmRunDirectory::log_of(const std::string& submission, int index) const {
  return path_ / "logs" / fmt::format("{}.{}.out", submission, index);
}

fs::path SlurmRunDirectory::step_logs(const std::string& token) const {
  return path_ / "logs" / token;
}

}  // namespace pinwheel::host
