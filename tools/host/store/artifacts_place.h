#pragma once
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/store/tree_place.h"

namespace pinwheel::host {

/// A directory with the artifacts of a workflow's jobs, each a place on disk in a directory with
/// its name, "result-STEP-ATTEMPT". It is read-only. An artifact provides only the entry of its own
/// step: the code of a test could write an entry of a build into its artifact. Of several attempts
/// of a step, the latest with a complete entry counts (store/attempt.h). An artifact that was
/// unpacked without a directory provides an entry only if it has those of one step. The directory
/// is listed once.
class ArtifactsPlace final : public Place {
 public:
  ArtifactsPlace(std::string name, const std::filesystem::path& root, const StoreUser& user);

  std::string name() const override { return name_; }
  PlaceResult<std::optional<store::Entry>> find(const store::Address& address) override;
  std::vector<Error> rejected() override;
  PlaceResult<bool> fetch(const store::Blob& blob, const std::filesystem::path& target) override;
  /// `refused`.
  PlaceResult<PutOutcome> put(const std::vector<store::Address>& addresses,
                              const store::Entry& entry, const BlobFiles& files) override;

 private:
  struct Artifact {
    std::string name;  ///< of its directory; empty: it was unpacked without one
    std::unique_ptr<TreePlace> tree;
  };
  /// By the name of a file, the artifacts that contain it, the latest attempt first.
  using Holders = std::unordered_map<std::string, std::vector<Artifact*>>;

  void add(const std::filesystem::path& root, const std::string& name, const StoreUser& user);
  /// Why an entry cannot belong to its address and artifact; nullopt: it can.
  std::optional<std::string> objection_to(const store::Entry& entry, const store::Address& address,
                                          const Artifact& artifact) const;
  void reject(const Artifact& artifact, const store::Entry& entry, const std::string& why);

  std::string name_;
  std::vector<std::unique_ptr<Artifact>> artifacts_ = {};
  bool is_of_one_step_ = true;  ///< the artifact without a name
  std::mutex mutex_;
  std::vector<Error> rejected_ = {};
  Holders entries_ = {};
  Holders blobs_ = {};
};

}  // namespace pinwheel::host
