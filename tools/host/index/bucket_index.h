#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "host/index/index_content.h"
#include "host/store/s3_server.h"
#include "ports/clock.h"
#include "publish/bucket_state.h"
#include "publish/prune.h"
#include "publish/upload_event.h"
#include "publish/yank.h"

namespace pinwheel::host {

/// The hooks of a publication; all may be empty. `event` may be called by several threads.
struct BucketHooks {
  std::function<void(const publish::UploadEvent& event)> event = {};
};

/// A package index in a bucket of S3, or of a compatible server, for uncoordinated publishers. The
/// server must support conditional writes (`If-Match`, `If-None-Match`).
///
/// `.pinwheel/index.json` holds the contents (publish/bucket_state.h). A change first stores new
/// files under their digests and verifies them, then replaces this object only if it is unchanged
/// (otherwise it starts over), then writes the pages, those of projects first. Each page states its
/// generation and never replaces a newer page. So of two publishers of one file name
/// with different bytes exactly one succeeds, and of two publishers of different files both do. The
/// pages of a publisher that was killed are written by the next one.
///
/// Files that the pages no longer list stay in the bucket.
class BucketIndex {
 public:
  /// `name` is for messages: "s3://bucket/prefix".
  BucketIndex(std::unique_ptr<S3Server> server, std::string name);

  /// The contents, if all their pages are written; nullopt if the bucket has no index of pinwheel
  /// there. Kind `publish` if pages are missing; errors of `read`.
  Result<std::optional<publish::Catalog>> find();
  /// Kind `config` if the bucket has no index of pinwheel there; `publish` if its state is damaged
  /// or the server refuses; `environment` or `transient` if it cannot be reached.
  Result<publish::Catalog> read();

  /// Publishes files. Publishing the same bytes again is success (`identical`). Errors as above and
  /// those of `check_entries` and `publish::add`; `config` if the place has pages that pinwheel did
  /// not write; `environment` if the server ignores conditions; `publish` if a stored file has
  /// other bytes.
  Result<IndexPublication> publish(const std::vector<IndexEntry>& entries,
                                   const RetentionOptions& options, const ports::Clock& clock,
                                   const BucketHooks& hooks);

  /// As in a directory (host/index/index_directory.h).
  Result<publish::Yanking> yank(const publish::YankRequest& request, const ports::Clock& clock);
  Result<publish::Pruning> prune(const publish::PruneRules& rules, const ports::Clock& clock);

 private:
  struct Held;
  struct Upload;
  using Pages = std::map<std::string, std::string>;
  /// The next contents; nullopt if nothing changes.
  using Decide = std::function<Result<std::optional<publish::Catalog>>(const publish::Catalog&)>;

  Result<std::optional<Held>> held();
  /// Checks that pinwheel may create an index: the place has no pages, and conditions are obeyed.
  Done check_new();
  Done change(const Decide& decide, const ports::Clock& clock);
  Done store_files(const std::vector<Upload>& uploads, const BucketHooks& hooks);
  Done store_file(const Upload& upload);
  Done read_back(const std::string& path, const std::string& sha256);
  Done write_pages(const Pages& pages, uint64_t generation);
  Done write_page(const std::string& path, const std::string& page, uint64_t generation);
  /// Records that all pages of a state are written, unless another publisher changed it.
  Done complete(publish::BucketState state);
  Result<bool> put_state(const publish::BucketState& state, const std::string& etag);
  Error error_of(PlaceFault fault) const;

  std::unique_ptr<S3Server> server_;
  std::string name_;
};

/// What opening a bucket takes.
struct BucketSetup {
  std::string url;                                      ///< "s3://bucket/prefix"
  std::map<std::string, std::string> environment = {};  ///< with the credentials and the endpoint
  std::string user_agent = "pinwheel";
  MaskSecret mask = {};  ///< called with every secret before it is used
  std::stop_token cancel = {};
  /// Called with the bytes of each reply, on the thread of its request; may be empty.
  std::function<void(uint64_t)> received = {};
};

/// Opens an index without accessing it. `usage` if the URL is not that of a bucket.
Result<BucketIndex> open_bucket_index(const BucketSetup& setup);

/// Whether a place that a user names is a bucket: "s3://...".
bool is_bucket(const std::string& place);

}  // namespace pinwheel::host
