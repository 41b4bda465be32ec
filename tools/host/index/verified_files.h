#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "host/system/unique_fd.h"
#include "publish/index_audit.h"

namespace pinwheel::host {

/// A file of an index whose bytes had the hashes that its page states.
struct VerifiedFile {
  std::string url;
  std::string hashes;  ///< on the page, "sha256=..."
  std::string state;   ///< as `FoundFile::state`
  std::optional<publish::MetadataFacts> inside = std::nullopt;

  bool operator==(const VerifiedFile&) const = default;
};

/// A record of verified files, so that a check which was interrupted continues: one line of JSON
/// for each, written at once when the file has been verified. A torn line is ignored. Processes may
/// write to one record at the same time. Thread-safe.
class VerifiedFiles {
 public:
  /// Reads the record, which need not exist; makes its directory. `environment` if it cannot be
  /// written.
  static Result<std::unique_ptr<VerifiedFiles>> open(const std::filesystem::path& path);

  /// What is recorded of the file with these hashes; nullopt if it is not, or its state is another.
  std::optional<VerifiedFile> find(const std::string& url, const std::string& hashes,
                                   const std::string& state) const;
  Done add(const VerifiedFile& file);

 private:
  explicit VerifiedFiles(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  UniqueFd file_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, VerifiedFile> known_;  ///< by URL and hashes
};

}  // namespace pinwheel::host
