#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/store/tree_place.h"

namespace pinwheel::host {

/// A directory with the artifacts of a workflow's jobs, each a place on disk in a directory of its
/// name; also one artifact that was unpacked without such a directory. It is only read. Of several
/// attempts of a step the latest counts whose result is complete (store/attempt.h). What is there
/// is looked up once.
class ArtifactsPlace final : public Place {
 public:
  ArtifactsPlace(std::string name, const std::filesystem::path& root, const StoreUser& user);

  std::string name() const override { return name_; }
  PlaceResult<std::optional<store::StoredResult>> find(const store::Address& address) override;
  PlaceResult<bool> fetch(const store::Blob& blob, const std::filesystem::path& target) override;
  /// `refused`.
  PlaceResult<Kept> put(const std::vector<store::Address>& addresses,
                        const store::StoredResult& result, const BlobFiles& files) override;

 private:
  /// By the name of a file, the artifacts that have it, the latest attempt first.
  using Holders = std::unordered_map<std::string, std::vector<TreePlace*>>;

  void add(const std::filesystem::path& artifact, const StoreUser& user);

  std::string name_;
  std::vector<std::unique_ptr<TreePlace>> artifacts_ = {};
  Holders results_ = {};
  Holders blobs_ = {};
};

}  // namespace pinwheel::host
