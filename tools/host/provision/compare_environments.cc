#include "host/provision/compare_environments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/digest.h"
#include "base/text.h"
#include "host/provision/complete_directory.h"
#include "host/system/digest_file.h"
#include "host/system/open_regular.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

// Only small text files contain the cache's path; a library that differs is a real difference.
constexpr uint64_t kLargestText = 16 << 20;
// The replacement for those paths.
constexpr const char* kEnvironment = "@environment@";
constexpr const char* kCache = "@cache@";
// conda's records contain the hash of files with the prefix in them, which depends on the prefix.
constexpr std::string_view kHashInPrefix = "\"sha256_in_prefix\": \"";
constexpr size_t kHash = 64;

using Entries = std::map<std::string, fs::directory_entry>;

Result<Entries> entries_of(const fs::path& directory) {
  Entries entries;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string path = at->path().lexically_relative(directory).string();
    std::error_code ignored;
    const bool counts = at->is_symlink(ignored) || at->is_regular_file(ignored);
    if (counts && path != kCompleteMarker) entries[path] = *at;
  }
  if (!failed) return entries;
  return fail(
      ErrorKind::environment,
      fmt::format("{} cannot be read: {}", pinwheel::quoted(directory.string()), failed.message()));
}

std::string without_hashes_in_prefix(std::string text) {
  for (size_t at = text.find(kHashInPrefix); at != std::string::npos;
       at = text.find(kHashInPrefix, at)) {
    at += kHashInPrefix.size();
    text.erase(at, std::min(kHash, text.size() - at));
  }
  return text;
}

/// The contents of a link or a small file, independent of the location of its environment.
std::string text_of(const fs::directory_entry& entry, const Creation& creation) {
  std::string text;
  std::error_code ignored;
  if (entry.is_symlink(ignored)) {
    text = fs::read_symlink(entry.path(), ignored).string();
  } else {
    text = read_regular_file(entry.path(), limits::kFile).value_or(std::string());
  }
  text = replace_all(std::move(text), (creation.cache / creation.place).string(), kEnvironment);
  text = replace_all(std::move(text), creation.cache.string(), kCache);
  const bool record = entry.path().parent_path().filename() == "conda-meta";
  return record ? without_hashes_in_prefix(std::move(text)) : text;
}

Result<bool> same_contents(const fs::directory_entry& here, const Creation& ours,
                           const fs::directory_entry& there, const Creation& others) {
  std::error_code ignored;
  const bool link = here.is_symlink(ignored);
  if (link != there.is_symlink(ignored)) return false;
  if (link) return text_of(here, ours) == text_of(there, others);
  TRY(const FileDigest one, digest_file(here.path()));
  TRY(const FileDigest other, digest_file(there.path()));
  if (one.sha256 == other.sha256) return true;
  if (one.size > kLargestText || other.size > kLargestText) return false;
  return text_of(here, ours) == text_of(there, others);
}

}  // namespace

std::string_view to_string(FileChange change) {
  switch (change) {
    case FileChange::contents:
      return "other contents";
    case FileChange::mode:
      return "other permissions";
    case FileChange::only_here:
      return "only here";
    case FileChange::only_there:
      return "only there";
  }
  return {};
}

Result<std::vector<FileDifference>> compare_environments(const Creation& here,
                                                         const Creation& there) {
  TRY(const Entries mine, entries_of(here.cache / here.place));
  TRY(const Entries theirs, entries_of(there.cache / there.place));
  std::map<std::string, FileChange> changes;
  for (const auto& [path, entry] : mine) {
    const auto other = theirs.find(path);
    if (other == theirs.end()) {
      changes[path] = FileChange::only_here;
      continue;
    }
    TRY(const bool same, same_contents(entry, here, other->second, there));
    if (!same) {
      changes[path] = FileChange::contents;
    } else if (entry.symlink_status().permissions() !=
               other->second.symlink_status().permissions()) {
      changes[path] = FileChange::mode;
    }
  }
  for (const auto& [path, entry] : theirs) {
    if (!mine.contains(path)) changes[path] = FileChange::only_there;
  }
  std::vector<FileDifference> differences;
  differences.reserve(changes.size());
  for (const auto& [path, change] : changes) differences.push_back({path, change});
  return differences;
}

}  // namespace pinwheel::host
