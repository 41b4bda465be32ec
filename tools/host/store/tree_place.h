#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "host/store/place.h"
#include "host/store/tree_lease.h"
#include "store/place_description.h"

namespace pinwheel::host {

/// How a place checks that it has a blob: by its size, since its readers compare the digest; or by
/// its digest, when nobody will read it.
enum class Presence { size, digest };

struct TreeOptions {
  std::string name;            ///< for messages: "local", "dir:out"
  std::filesystem::path root;  ///< created on the first write
  store::PlaceAccess access = store::PlaceAccess::read_write;
  Sharing sharing = Sharing::shared;
  StoreUser user = {};
  Presence presence = Presence::size;
  WaitingForLock waiting = {};
  std::stop_token cancel = {};  ///< ends the waiting for a lock
};

/// A place on a file system, in the layout of servers: `ac/HEX` an ActionResult in JSON, `cas/HEX`
/// a blob (mode 0444). A file gets its name only once it is complete and durable, and an entry only
/// after its blobs. Recently used entries have a recent modification time.
class TreePlace final : public Place {
 public:
  explicit TreePlace(TreeOptions options);

  std::string name() const override { return options_.name; }
  PlaceResult<std::optional<store::Entry>> find(const store::Address& address) override;
  /// By a reflink, else by a hard link if the mode prevents others from writing through it, else by
  /// a copy. A damaged blob is removed if allowed, so that the next run can write it again.
  PlaceResult<bool> fetch(const store::Blob& blob, const std::filesystem::path& target) override;
  PlaceResult<PutOutcome> put(const std::vector<store::Address>& addresses,
                              const store::Entry& entry, const BlobFiles& files) override;
  std::optional<std::filesystem::path> path_of(const store::Blob& blob) override;

 private:
  std::filesystem::path blob_path(const store::Blob& blob) const;
  PlaceResult<std::optional<store::Entry>> look_at(const std::filesystem::path& path) const;
  PlaceResult<std::optional<store::Entry>> record_of(const std::string& action) const;
  PlaceDone fetch_from(int fd, const store::Blob& blob, const std::filesystem::path& target) const;
  bool has(const store::Blob& blob) const;
  PlaceDone put_blob(const store::Blob& blob, const std::filesystem::path& source);
  PlaceDone put_bytes(const store::Blob& blob, const std::string& bytes);
  PlaceDone make_directories() const;
  void drop(const store::Blob& blob) const;

  TreeOptions options_;
  TreeLease lease_;
};

}  // namespace pinwheel::host
