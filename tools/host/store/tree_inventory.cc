#include "host/store/tree_inventory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "host/store/tree_lease.h"
#include "host/system/digest_file.h"
#include "host/system/files.h"
#include "host/system/unique_fd.h"
#include "store/action_result.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The files of a directory, sorted; none if it cannot be listed.
std::vector<fs::path> files_below(const fs::path& directory) {
  std::vector<fs::path> out;
  const auto names = LocalFiles().list(directory);
  if (!names) return out;
  for (const std::string& name : *names) out.push_back(directory / name);
  return out;
}

/// What a writer that was killed left of an entry.
bool is_left_over(std::string_view name) {
  constexpr size_t kDigits = 64;
  return name.size() > kDigits + 2 && name.front() == '.' && name[kDigits + 1] == '.' &&
         is_sha256_hex(name.substr(1, kDigits));
}

/// The entries of a directory of results or blobs, and what killed writers left of them; nothing
/// else that lies there.
std::vector<fs::path> entries_below(const fs::path& directory) {
  std::vector<fs::path> out = files_below(directory);
  std::erase_if(out, [](const fs::path& path) {
    const std::string name = path.filename().string();
    std::error_code ignored;
    return fs::is_directory(path, ignored) || !(is_sha256_hex(name) || is_left_over(name));
  });
  return out;
}

store::StoreTime time_of(const struct stat& status) {
  return std::chrono::system_clock::from_time_t(status.st_mtime);
}

std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::optional<store::ActionResult> action_at(const fs::path& path) {
  const Result<std::string> text = LocalFiles().read(path);
  if (!text) return std::nullopt;
  const Result<store::ActionResult> action = store::parse_action_result(*text);
  return action ? std::optional(*action) : std::nullopt;
}

std::string text_at(const nlohmann::json& object, const char* name) {
  const bool there = object.is_object() && object.contains(name) && object[name].is_string();
  return there ? object[name].get<std::string>() : std::string();
}

/// nullopt for a file that is not of a run.
std::optional<store::KeptRun> read_run(const fs::path& path) {
  const Result<std::string> text = LocalFiles().read(path);
  const std::optional<struct stat> status = status_of(path);
  if (!text || !status) return std::nullopt;
  const std::vector<std::string> lines = split(*text, '\n');
  const nlohmann::json header = nlohmann::json::parse(lines.front(), nullptr, false);
  if (text_at(header, "schema") != kLeaseSchema) return std::nullopt;
  store::KeptRun run{path.filename().string(), text_at(header, "run")};
  run.used = time_of(*status);
  run.domain = store::parse_domain(text_at(header, "domain")).value_or(run.domain);
  // Runs of earlier versions did not say it.
  run.publishes = header.value("publishes", nlohmann::json(run.domain == store::Domain::release)) ==
                  nlohmann::json(true);
  for (const std::string& line : lines) {
    if (is_sha256_hex(line)) run.addresses.insert({line});
  }
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  run.living = fd.valid() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return run;
}

/// Removes a file, unless it was used meanwhile.
void remove_unused(const fs::path& path, store::StoreTime old) {
  const std::optional<struct stat> status = status_of(path);
  if (status && time_of(*status) < old) ::unlink(path.c_str());
}

}  // namespace

store::Inventory take_inventory(const fs::path& root) {
  store::Inventory inventory;
  for (const fs::path& path : entries_below(root / "ac")) {
    const std::optional<struct stat> status = status_of(path);
    if (!status) continue;
    const std::string name = path.filename().string();
    const std::optional<store::ActionResult> action = action_at(path);
    if (!action || is_left_over(name)) {
      inventory.damaged.push_back({{name}, time_of(*status)});
      continue;
    }
    store::KeptResult result{{name}, {action->record}, time_of(*status)};
    for (const store::StoredOutput& output : action->outputs) result.blobs.push_back(output.blob);
    inventory.results.push_back(std::move(result));
  }
  for (const fs::path& path : entries_below(root / "cas")) {
    const std::optional<struct stat> status = status_of(path);
    if (!status) continue;
    inventory.blobs.push_back(
        {{path.filename().string(), static_cast<uint64_t>(status->st_size)}, time_of(*status)});
  }
  for (const fs::path& path : files_below(root / "runs")) {
    if (std::optional<store::KeptRun> run = read_run(path)) {
      inventory.runs.push_back(*std::move(run));
    }
  }
  return inventory;
}

Result<store::Collection> collect_tree(const fs::path& root, const store::CollectOptions& options,
                                       DryRun dry_run) {
  if (!fs::exists(root)) return store::Collection{};
  // Nobody writes from here on; what was written before is in the inventory.
  const TreeLock lock(root, TreeLock::Kind::exclusive);
  store::Collection collection = store::collect(take_inventory(root), options);
  if (dry_run == DryRun::yes) return collection;
  const store::StoreTime old = options.now - options.grace;
  for (const store::Address& address : collection.results) {
    remove_unused(root / "ac" / address.hex, old);
  }
  for (const store::Blob& blob : collection.blobs) remove_unused(root / "cas" / blob.sha256, old);
  for (const std::string& run : collection.runs) remove_unused(root / "runs" / run, old);
  return collection;
}

std::vector<TreeResult> read_results(const fs::path& root) {
  std::vector<TreeResult> out;
  for (const fs::path& path : files_below(root / "ac")) {
    const std::optional<store::ActionResult> action = action_at(path);
    if (!action) continue;
    const Result<std::string> record = LocalFiles().read(root / "cas" / action->record.sha256);
    if (!record || sha256_hex(*record) != action->record.sha256) continue;
    Result<store::StoredResult> result = store::parse_stored_result(*record);
    if (result) out.push_back({{path.filename().string()}, *std::move(result)});
  }
  return out;
}

std::vector<std::string> verify_tree(const fs::path& root) {
  std::vector<std::string> wrong;
  for (const fs::path& path : entries_below(root / "cas")) {
    const std::string name = path.filename().string();
    if (!is_sha256_hex(name)) continue;
    const Result<FileDigest> digest = digest_file(path);
    if (!digest) {
      wrong.push_back(fmt::format("{} cannot be read", quoted(fmt::format("cas/{}", name))));
    } else if (digest->sha256 != name) {
      wrong.push_back(
          fmt::format("{} has the sha256 {}", quoted(fmt::format("cas/{}", name)), digest->sha256));
    }
  }
  for (const fs::path& path : entries_below(root / "ac")) {
    const std::string name = path.filename().string();
    if (is_left_over(name)) continue;
    const std::optional<store::ActionResult> action = action_at(path);
    if (!action) {
      wrong.push_back(fmt::format("{} cannot be read", quoted("ac/" + name)));
      continue;
    }
    std::vector<store::Blob> blobs = {action->record};
    for (const store::StoredOutput& output : action->outputs) blobs.push_back(output.blob);
    for (const store::Blob& blob : blobs) {
      const std::optional<struct stat> status = status_of(root / "cas" / blob.sha256);
      const bool whole =
          status && S_ISREG(status->st_mode) && static_cast<uint64_t>(status->st_size) == blob.size;
      if (whole) continue;
      wrong.push_back(fmt::format("{}, which {} needs, is missing",
                                  quoted(fmt::format("cas/{}", blob.sha256)),
                                  quoted(fmt::format("ac/{}", name))));
    }
  }
  return wrong;
}

}  // namespace pinwheel::host
