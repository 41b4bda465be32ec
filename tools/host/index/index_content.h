#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/index/upload.h"
#include "publish/artifact.h"
#include "publish/catalog.h"

namespace pinwheel::host {

/// A file for an index of pinwheel's own. Its Sigstore bundle (`Artifact::attestations`, at most
/// one) is stored next to it. It is listed in the sub-index of its label (`<index>/cpu/`), with
/// `InRoot::yes` also in the root, and without a label only in the root. More sub-indexes may list
/// it as well.
struct IndexEntry {
  publish::Artifact file;
  std::string label = {};
  publish::InRoot in_root = publish::InRoot::no;
  /// The URL of the same bytes on another server: the pages link there, and the index has neither
  /// the file nor its metadata.
  std::string url = {};
  std::vector<std::string> also_listed = {};  ///< labels
};

/// The retention options of an index.
struct RetentionOptions {
  /// The newest development releases of each project that stay listed (publish/retention.h); all if
  /// absent.
  std::optional<size_t> nightlies = std::nullopt;
};

struct IndexPublication {
  std::vector<FileOutcome> files;    ///< one per entry
  std::vector<std::string> retired;  ///< names of the files that are no longer listed
};

/// The next contents of an index.
struct NextContent {
  publish::Merge merge;
  std::vector<std::string> retired = {};

  bool is_new() const { return merge.changed || !retired.empty(); }
};

/// Runs the preflight on the files. Kind `check`, with each finding as a cause.
Done check_entries(const std::vector<IndexEntry>& entries);

/// The contents after the entries are added and old development releases are retired. `homes` are
/// the places of the files; empty: the index's own choice. Errors of `publish::add`.
Result<NextContent> next_content(publish::Catalog held, const std::vector<IndexEntry>& entries,
                                 const std::vector<std::string>& homes,
                                 const RetentionOptions& options, const std::string& upload_time);

/// The outcome of each entry.
IndexPublication publication_of(const std::vector<IndexEntry>& entries, const NextContent& content);

}  // namespace pinwheel::host
