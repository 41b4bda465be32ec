#include "host/run/stored_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>

#include "base/digest.h"
#include "base/text.h"
#include "host/store/tree_place.h"
#include "host/system/digest_file.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifestName = "checkpoint.json";
/// A parsed entry has at most 4096.
constexpr size_t kFilesOfPart = 4000;
/// Two runs of one build may save at the same moment.
constexpr int kMostAttempts = 3;
/// No run reaches it, but whoever may write to a place can write any number.
constexpr int kMostNumber = 1'000'000'000;

/// The key of an entry of a checkpoint, which never equals the key of a result.
std::string checkpoint_key(const std::string& key, size_t part) {
  return sha256_hex(fmt::format("pinwheel-checkpoint/1\n{}\n{}\n", key, part));
}

store::Entry checkpoint_entry(const std::string& step, const std::string& key, size_t part) {
  store::Entry entry;
  entry.step = step;
  entry.key = checkpoint_key(key, part);
  entry.ending = store::Ending::unfinished;
  return entry;
}

}  // namespace

std::optional<FoundEntry> StoredCheckpoints::part(Store& store, const std::string& step,
                                                  const std::string& key, size_t number) {
  std::optional<FoundEntry> found = store.find({step, checkpoint_key(key, number)});
  if (found && found->entry.ending != store::Ending::unfinished) found.reset();
  return found;
}

Result<std::optional<uint64_t>> StoredCheckpoints::find(const std::string& step,
                                                        const std::string& key,
                                                        const fs::path& manifest) {
  TRY(const std::shared_ptr<Store> store, open_());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    read_ = store;
  }
  const std::optional<FoundEntry> found = part(*store, step, key, 0);
  note(store->finish());
  if (!found) return std::nullopt;
  const auto text = std::ranges::find(found->entry.outputs, kManifestName, &store::NamedBlob::name);
  // The build has finished.
  if (text == found->entry.outputs.end()) return std::nullopt;
  const Done fetched = fetch(text->blob.sha256, text->blob.size, manifest);
  // A checkpoint without an intact text is of no use to anyone, so any other may replace it. One
  // that did not arrive may be complete.
  if (fetched || fetched.error().kind == ErrorKind::check) {
    const std::lock_guard<std::mutex> lock(mutex_);
    known_[key] = found->entry.attempts;
  }
  if (!fetched) return fail(fetched.error());
  // `store gc` retains what a run has found.
  for (size_t next = 1; part(*store, step, key, next); ++next) {
  }
  return static_cast<uint64_t>(found->entry.attempts);
}

Done StoredCheckpoints::fetch(const std::string& sha256, uint64_t size, const fs::path& target) {
  std::shared_ptr<Store> store;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    store = read_;
  }
  TRY(const bool found, store->fetch_blob({sha256, size}, target));
  if (found) return {};
  return fail(ErrorKind::check,
              fmt::format("no place has the intact file {} of the checkpoint", quoted(sha256)));
}

Result<uint64_t> StoredCheckpoints::save(const run::CheckpointRecord& record,
                                         const run::CheckpointFiles& files) {
  std::vector<store::Entry> parts = {checkpoint_entry(record.step, record.key, 0)};
  Files named = {{kManifestName, record.manifest}};
  TRY(const FileDigest manifest, digest_file(record.manifest));
  parts[0].outputs.push_back({kManifestName, {manifest.sha256, manifest.size}});
  size_t count = 0;
  for (const auto& [sha256, path] : files) {
    std::error_code code;
    const uint64_t size = fs::file_size(path, code);
    if (code) return fail(ErrorKind::environment, quoted(path.string()) + ": " + code.message());
    if (parts.back().outputs.size() == kFilesOfPart) {
      parts.push_back(checkpoint_entry(record.step, record.key, parts.size()));
    }
    const std::string name = fmt::format("files/{}", count++);
    parts.back().outputs.push_back({name, {sha256, size}});
    named[name] = path;
  }
  TRY(const std::shared_ptr<Store> store, open_());
  TRY_DONE(check_newest(*store, record, files.size()));
  for (size_t i = parts.size(); i-- > 1;) TRY_DONE(write(*store, std::move(parts[i]), named));
  TRY(const uint64_t number, write(*store, std::move(parts[0]), named));
  const std::lock_guard<std::mutex> lock(mutex_);
  known_[record.key] = static_cast<int64_t>(number);
  return number;
}

Done StoredCheckpoints::check_newest(Store& store, const run::CheckpointRecord& record,
                                     size_t files) {
  const std::optional<FoundEntry> newest = part(store, record.step, record.key, 0);
  if (!newest) return {};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = known_.find(record.key);
    if (known != known_.end() && newest->entry.attempts <= known->second) return {};
  }
  size_t stored = 0;
  std::optional<FoundEntry> next = newest;
  for (size_t number = 1; next; ++number) {
    stored += next->entry.outputs.size();
    next = part(store, record.step, record.key, number);
  }
  // One of them is the text.
  if (stored <= files + 1) return {};
  return fail(ErrorKind::check, fmt::format("checkpoint {}, which this run did not read, has more "
                                            "files",
                                            newest->entry.attempts));
}

void StoredCheckpoints::forget(const std::string& step, const std::string& key) {
  const Result<std::shared_ptr<Store>> store = open_();
  if (!store) return note({store.error()});
  for (size_t number = 0; part(**store, step, key, number); ++number) {
    // A fault of a place is a warning.
    static_cast<void>(write(**store, checkpoint_entry(step, key, number), {}));
  }
}

Result<uint64_t> StoredCheckpoints::write(Store& store, store::Entry entry, const Files& files) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const std::optional<FoundEntry> before = store.find({entry.step, entry.key});
    entry.attempts = before ? std::min(before->entry.attempts, kMostNumber) + 1 : 1;
    store.put(entry, files);
    std::vector<Error> faults = store.finish();
    const bool faulty = !faults.empty();
    note(std::move(faults));
    const std::optional<FoundEntry> after = store.find({entry.step, entry.key});
    if (after && after->entry.outputs == entry.outputs) {
      return static_cast<uint64_t>(entry.attempts);
    }
    if (faulty) break;
  }
  Error error{ErrorKind::environment, "no place of the store accepts checkpoints", std::nullopt,
              "name a place that this run may write to with `--store` or `--checkpoints`"};
  const std::lock_guard<std::mutex> lock(mutex_);
  // A place that has failed several times is not used any more.
  if (last_fault_) error.causes.push_back(*last_fault_);
  return fail(std::move(error));
}

void StoredCheckpoints::note(std::vector<Error> faults) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!faults.empty()) last_fault_ = faults.front();
  std::ranges::move(faults, std::back_inserter(warnings_));
}

std::vector<Error> StoredCheckpoints::warnings() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(warnings_, {});
}

std::shared_ptr<Store> checkpoints_directory(const fs::path& directory, store::Domain domain) {
  TreeOptions options;
  options.name = "dir:" + directory.string();
  options.root = directory;
  // Restored files are copies, and a checkpoint need not survive a power loss.
  options.sharing = Sharing::shared;
  options.user = {"checkpoints", domain};
  std::vector<StorePlace> places;
  places.push_back({std::make_unique<TreePlace>(std::move(options))});
  Store::Options settings;
  settings.domain = domain;
  settings.run = "checkpoints";
  return std::make_shared<Store>(std::move(places), std::move(settings));
}

}  // namespace pinwheel::host
