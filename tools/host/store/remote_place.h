#pragma once
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "host/store/object_server.h"
#include "host/store/place.h"

namespace pinwheel::host {

/// A place on a server. Blobs are streamed from and to files. Bytes that do not match their name
/// are rejected, and the next write replaces them.
class RemotePlace final : public Place {
 public:
  RemotePlace(std::string name, std::unique_ptr<ObjectServer> server);

  std::string name() const override { return name_; }
  bool is_remote() const override { return true; }
  PlaceResult<std::optional<store::Entry>> find(const store::Address& address) override;
  PlaceResult<bool> fetch(const store::Blob& blob, const std::filesystem::path& target) override;
  PlaceResult<PutOutcome> put(const std::vector<store::Address>& addresses,
                              const store::Entry& entry, const BlobFiles& files) override;

 private:
  PlaceResult<std::optional<std::string>> text(const std::string& path, uint64_t most_bytes);
  PlaceDone put_blob(const store::Blob& blob, std::shared_ptr<const ports::ByteSource> contents);
  PlaceDone put_files(const BlobFiles& files);
  bool is_damaged(const store::Blob& blob);
  bool is_damaged(const store::Entry& entry);
  void mark_damaged(const store::Blob& blob);

  std::string name_;
  std::unique_ptr<ObjectServer> server_;
  std::mutex mutex_;
  std::set<store::Blob> damaged_ = {};
};

}  // namespace pinwheel::host
