#include "store/collect.h"

#include <algorithm>

namespace pinwheel::store {
namespace {

/// The ids of the last runs that published, each with the jobs that worked for it. What a pull
/// request publishes is no release.
std::set<std::string> last_releases(const Inventory& inventory, size_t count) {
  std::vector<KeptRun> runs;
  for (const KeptRun& run : inventory.runs) {
    if (run.publishes && run.domain != Domain::pull_request) runs.push_back(run);
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const KeptRun& a, const KeptRun& b) { return a.used > b.used; });
  std::set<std::string> ids;
  for (const KeptRun& run : runs) {
    if (ids.size() < count) ids.insert(run.run);
  }
  return ids;
}

/// The blobs that stay, and their size.
class Staying {
 public:
  void add(const KeptResult& result) {
    for (const Blob& blob : result.blobs) {
      if (blobs_.insert(blob).second) bytes_ += blob.size;
    }
  }
  uint64_t bytes_with(const KeptResult& result) const {
    uint64_t bytes = bytes_;
    for (const Blob& blob : result.blobs) bytes += blobs_.contains(blob) ? 0 : blob.size;
    return bytes;
  }
  bool has(const Blob& blob) const { return blobs_.contains(blob); }

 private:
  std::set<Blob> blobs_ = {};
  uint64_t bytes_ = 0;
};

}  // namespace

Collection collect(const Inventory& inventory, const CollectOptions& options) {
  Collection out;
  const StoreTime old = options.now - options.grace;
  const std::set<std::string> releases = last_releases(inventory, options.releases);
  std::set<Address> needed;
  for (const KeptRun& run : inventory.runs) {
    if (run.living || releases.contains(run.run) || run.used >= old) {
      needed.insert(run.addresses.begin(), run.addresses.end());
    } else {
      out.runs.push_back(run.file);
    }
  }
  Staying staying;
  std::vector<const KeptResult*> others;
  for (const KeptResult& result : inventory.results) {
    if (needed.contains(result.address) || result.used >= old) {
      staying.add(result);
    } else {
      others.push_back(&result);
    }
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const KeptResult* a, const KeptResult* b) { return a->used > b->used; });
  for (const KeptResult* result : others) {
    if (staying.bytes_with(*result) <= options.most_bytes) {
      staying.add(*result);
    } else {
      out.results.push_back(result->address);
    }
  }
  for (const DamagedResult& result : inventory.damaged) {
    if (result.used < old) out.results.push_back(result.address);
  }
  for (const KeptBlob& blob : inventory.blobs) {
    const bool stays = staying.has(blob.blob) || blob.used >= old;
    (stays ? out.kept_bytes : out.removed_bytes) += blob.blob.size;
    if (!stays) out.blobs.push_back(blob.blob);
  }
  return out;
}

}  // namespace pinwheel::store
