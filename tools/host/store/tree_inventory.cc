#include "host/store/tree_inventory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "base/text.h"
#include "host/store/place.h"
#include "host/store/regular_file.h"
#include "host/store/tree_lease.h"
#include "host/system/files.h"
#include "host/system/unique_fd.h"
#include "store/action_result.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The limit for a file of a run, with a line for each of a million entries.
constexpr uint64_t kMostLeaseBytes = 64UL << 20;

/// The files of a directory, sorted; none if it cannot be listed.
std::vector<fs::path> files_below(const fs::path& directory) {
  std::vector<fs::path> out;
  const auto names = LocalFiles().list(directory);
  if (!names) return out;
  for (const std::string& name : *names) out.push_back(directory / name);
  return out;
}

/// Temporary files of an entry or a blob that a killed writer left.
bool is_left_over(std::string_view name) {
  constexpr size_t kDigits = 64;
  return name.size() > kDigits + 2 && name.front() == '.' && name[kDigits + 1] == '.' &&
         is_sha256_hex(name.substr(1, kDigits));
}

/// The files of a directory of entries or blobs, and leftovers of killed writers; nothing else.
std::vector<fs::path> own_files_below(const fs::path& directory) {
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

/// The status of the regular file that a link points to, or of the link itself if it points to
/// something else.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status = {};
  const bool regular = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  if (!regular && ::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

/// `wrong_bytes` for anything else, even if it could be read only without an end.
PlaceResult<store::ActionResult> action_at(const fs::path& path) {
  PlaceResult<std::optional<std::string>> text = read_regular(path, store::kMostRecordBytes);
  if (!text) return tl::unexpected(std::move(text).error());
  if (!*text) return wrong_bytes(path.string(), "is missing");
  Result<store::ActionResult> action = store::parse_action_result(**text);
  if (!action) return fault(FaultKind::wrong_bytes, std::move(action).error());
  return *std::move(action);
}

std::string text_at(const nlohmann::json& object, const char* name) {
  const bool there = object.is_object() && object.contains(name) && object[name].is_string();
  return there ? object[name].get<std::string>() : std::string();
}

/// nullopt for a file that does not belong to a run.
std::optional<store::InventoryRun> read_run(const fs::path& path) {
  const PlaceResult<std::optional<std::string>> text = read_regular(path, kMostLeaseBytes);
  const std::optional<struct stat> status = status_of(path);
  if (!text || !*text || !status) return std::nullopt;
  const std::vector<std::string> lines = split(**text, '\n');
  const nlohmann::json header = read_json(lines.front());
  if (text_at(header, "schema") != kLeaseSchema) return std::nullopt;
  store::InventoryRun run{path.filename().string(), text_at(header, "run")};
  run.used = time_of(*status);
  run.domain = store::parse_domain(text_at(header, "domain")).value_or(run.domain);
  run.publishes = header.value("publishes", nlohmann::json(false)) == nlohmann::json(true);
  for (const std::string& line : lines) {
    if (is_sha256_hex(line)) run.addresses.insert({line});
  }
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  run.living = fd.valid() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return run;
}

/// Removes a file, unless it was used meanwhile; returns whether it did.
bool remove_unused(const fs::path& path, store::StoreTime old) {
  const std::optional<struct stat> status = status_of(path);
  return status && time_of(*status) < old && ::unlink(path.c_str()) == 0;
}

/// Removes the collected files, and returns the removed ones: a process without a lock may use an
/// entry meanwhile, whose files then stay.
store::Collection remove_collected(const fs::path& root, const store::Inventory& inventory,
                                   const store::Collection& collected, store::StoreTime old) {
  store::Collection removed;
  removed.retained_bytes = collected.retained_bytes + collected.removed_bytes;
  std::set<store::Address> used;
  for (const store::Address& address : collected.entries) {
    if (remove_unused(root / "ac" / address.hex, old)) {
      removed.entries.push_back(address);
    } else {
      used.insert(address);
    }
  }
  std::set<store::Blob> needed;
  for (const store::InventoryEntry& entry : inventory.entries) {
    if (used.contains(entry.address)) needed.insert(entry.blobs.begin(), entry.blobs.end());
  }
  for (const store::Blob& blob : collected.blobs) {
    if (needed.contains(blob) || !remove_unused(root / "cas" / blob.sha256, old)) continue;
    removed.blobs.push_back(blob);
    removed.removed_bytes += blob.size;
    removed.retained_bytes -= blob.size;
  }
  for (const std::string& run : collected.runs) {
    if (remove_unused(root / "runs" / run, old)) removed.runs.push_back(run);
  }
  return removed;
}

/// The directories of a place are its own: a link leads to files of somebody else.
Done check_own_directories(const fs::path& root) {
  for (const char* const name : {"ac", "cas", "runs"}) {
    struct stat status = {};
    if (::lstat((root / name).c_str(), &status) != 0 || S_ISDIR(status.st_mode)) continue;
    return fail(ErrorKind::environment,
                fmt::format("{} is not a directory", quoted((root / name).string())),
                "pinwheel removes nothing through a link: move the directory to its place");
  }
  return {};
}

/// Whether a file is missing or has another size than its blob.
bool lacks_files(const BlobFiles& files) {
  return std::any_of(files.begin(), files.end(), [](const auto& each) {
    std::error_code code;
    return !fs::is_regular_file(each.second, code) ||
           fs::file_size(each.second, code) != each.first.size || code;
  });
}

/// What the results of a place say, without its larger files.
struct ReadResults {
  std::vector<std::string> wrong = {};     ///< faults of results
  std::set<std::string> wrong_blobs = {};  ///< digests of files that are missing or of another size
};

ReadResults read_results(const fs::path& root) {
  ReadResults read;
  for (const fs::path& path : own_files_below(root / "ac")) {
    const std::string name = path.filename().string();
    if (is_left_over(name)) continue;
    const PlaceResult<store::ActionResult> action = action_at(path);
    if (!action) {
      read.wrong.push_back(fmt::format("{} cannot be read", quoted("ac/" + name)));
      continue;
    }
    std::vector<store::Blob> blobs = {action->record};
    for (const store::NamedBlob& output : action->outputs) blobs.push_back(output.blob);
    for (const store::Blob& blob : blobs) {
      const std::optional<struct stat> status = status_of(root / "cas" / blob.sha256);
      const bool is_file = status && S_ISREG(status->st_mode);
      if (is_file && static_cast<uint64_t>(status->st_size) == blob.size) continue;
      read.wrong_blobs.insert(blob.sha256);
      read.wrong.push_back(fmt::format(
          "{}, which {} needs, {}", quoted("cas/" + blob.sha256), quoted("ac/" + name),
          is_file ? fmt::format("has {} bytes instead of {}", status->st_size, blob.size)
                  : std::string("is missing")));
    }
  }
  return read;
}

std::optional<std::string> fault_of_blob(const fs::path& root, const std::string& name) {
  const PlaceResult<std::optional<RegularFile>> file = digest_regular(root / "cas" / name);
  if (!file || !*file) return fmt::format("{} cannot be read", quoted("cas/" + name));
  if ((*file)->sha256 == name) return std::nullopt;
  return fmt::format("{} has the sha256 {}", quoted("cas/" + name), (*file)->sha256);
}

}  // namespace

store::Inventory take_inventory(const fs::path& root) {
  store::Inventory inventory;
  for (const fs::path& path : own_files_below(root / "ac")) {
    const std::optional<struct stat> status = status_of(path);
    if (!status) continue;
    const std::string name = path.filename().string();
    const PlaceResult<store::ActionResult> action = action_at(path);
    const bool damaged = !action && action.error().kind == FaultKind::wrong_bytes;
    if (damaged || is_left_over(name)) inventory.damaged.push_back({{name}, time_of(*status)});
    if (!action || is_left_over(name)) continue;
    store::InventoryEntry entry{{name}, {action->record}, time_of(*status)};
    for (const store::NamedBlob& output : action->outputs) entry.blobs.push_back(output.blob);
    inventory.entries.push_back(std::move(entry));
  }
  for (const fs::path& path : own_files_below(root / "cas")) {
    const std::optional<struct stat> status = status_of(path);
    if (!status) continue;
    inventory.blobs.push_back(
        {{path.filename().string(), static_cast<uint64_t>(status->st_size)}, time_of(*status)});
  }
  for (const fs::path& path : files_below(root / "runs")) {
    if (std::optional<store::InventoryRun> run = read_run(path)) {
      inventory.runs.push_back(*std::move(run));
    }
  }
  return inventory;
}

Result<store::Collection> collect_tree(const fs::path& root, const store::CollectOptions& options,
                                       DryRun dry_run, const WaitingForLock& waiting) {
  std::error_code absent;
  if (!fs::exists(root, absent)) return store::Collection{};
  TRY_DONE(check_own_directories(root));
  // From here on, no run writes or begins to use an entry; everything earlier is in the inventory.
  const TreeLock lock(root, TreeLock::Kind::exclusive, waiting);
  const store::Inventory inventory = take_inventory(root);
  store::Collection collected = store::collect(inventory, options);
  if (dry_run == DryRun::yes) return collected;
  return remove_collected(root, inventory, collected, options.now - options.grace);
}

std::vector<TreeEntry> read_entries(const fs::path& root) {
  std::vector<TreeEntry> out;
  for (const fs::path& path : files_below(root / "ac")) {
    const PlaceResult<store::ActionResult> action = action_at(path);
    if (!action) continue;
    const PlaceResult<std::optional<std::string>> record =
        read_regular(root / "cas" / action->record.sha256, store::kMostRecordBytes);
    if (!record || !*record || sha256_hex(**record) != action->record.sha256) continue;
    Result<store::Entry> entry = store::parse_entry(**record);
    if (entry) out.push_back({{path.filename().string()}, *std::move(entry)});
  }
  return out;
}

Result<CopiedEntries> copy_entries(const fs::path& from, TreePlace& to,
                                   const std::function<bool(const store::Entry& entry)>& wanted) {
  CopiedEntries out;
  for (const TreeEntry& one : read_entries(from)) {
    if (!wanted(one.entry) || !store::is_address_of(one.address, one.entry)) {
      ++out.left_out;
      continue;
    }
    BlobFiles files;
    for (const store::NamedBlob& output : one.entry.outputs) {
      files[output.blob] = from / "cas" / output.blob.sha256;
    }
    if (lacks_files(files)) {
      out.damaged.insert(one.entry.step);
      continue;
    }
    PlaceResult<PutOutcome> put = to.put({one.address}, one.entry, files);
    if (!put && put.error().kind == FaultKind::wrong_bytes) {
      out.damaged.insert(one.entry.step);
      continue;
    }
    if (!put) return fail(std::move(put).error().error);
    ++(*put == PutOutcome::written ? out.copied : out.there_already);
  }
  return out;
}

std::vector<std::string> verify_tree(const fs::path& root,
                                     const std::function<void(const VerifyProgress&)>& progress) {
  const ReadResults results = read_results(root);
  std::vector<std::string> wrong = results.wrong;
  std::vector<std::string> names;
  std::vector<uint64_t> sizes;
  for (const fs::path& path : own_files_below(root / "cas")) {
    const std::string name = path.filename().string();
    if (!is_sha256_hex(name) || results.wrong_blobs.contains(name)) continue;
    const std::optional<struct stat> status = status_of(path);
    const uint64_t size = status ? static_cast<uint64_t>(status->st_size) : 0;
    if (const Done fits = check_size(quoted("cas/" + name), size, limits::kStoreFile); !fits) {
      wrong.push_back(fits.error().message);
      continue;
    }
    names.push_back(name);
    sizes.push_back(size);
  }
  std::vector<std::optional<std::string>> faults(names.size());
  VerifyProgress done{.all = names.size()};
  std::mutex mutex;
  run_jobs(sizes, {usable_processors()}, [&](size_t i) {
    faults[i] = fault_of_blob(root, names[i]);
    const std::lock_guard lock(mutex);
    ++done.files;
    done.bytes += sizes[i];
    if (progress) progress(done);
  });
  for (std::optional<std::string>& fault : faults) {
    if (fault) wrong.push_back(std::move(*fault));
  }
  return wrong;
}

}  // namespace pinwheel::host
