#include "store/collect.h"

#include <algorithm>

namespace pinwheel::store {
namespace {

/// The ids of the last runs that published, each with all of its jobs. Publications of pull
/// requests are not releases.
std::set<std::string> last_releases(const Inventory& inventory, size_t count) {
  std::vector<InventoryRun> runs;
  for (const InventoryRun& run : inventory.runs) {
    if (run.publishes && run.domain != Domain::pull_request) runs.push_back(run);
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const InventoryRun& a, const InventoryRun& b) { return a.used > b.used; });
  std::set<std::string> ids;
  for (const InventoryRun& run : runs) {
    if (ids.size() < count) ids.insert(run.run);
  }
  return ids;
}

/// The retained blobs, and their total size.
class RetainedBlobs {
 public:
  void add(const InventoryEntry& entry) {
    for (const Blob& blob : entry.blobs) {
      if (blobs_.insert(blob).second) bytes_ += blob.size;
    }
  }
  uint64_t bytes_with(const InventoryEntry& entry) const {
    uint64_t bytes = bytes_;
    for (const Blob& blob : entry.blobs) bytes += blobs_.contains(blob) ? 0 : blob.size;
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
  for (const InventoryRun& run : inventory.runs) {
    if (run.living || releases.contains(run.run) || run.used >= old) {
      needed.insert(run.addresses.begin(), run.addresses.end());
    } else {
      out.runs.push_back(run.file);
    }
  }
  RetainedBlobs retained;
  std::vector<const InventoryEntry*> others;
  for (const InventoryEntry& entry : inventory.entries) {
    if (needed.contains(entry.address) || entry.used >= old) {
      retained.add(entry);
    } else {
      others.push_back(&entry);
    }
  }
  std::stable_sort(
      others.begin(), others.end(),
      [](const InventoryEntry* a, const InventoryEntry* b) { return a->used > b->used; });
  for (const InventoryEntry* entry : others) {
    if (retained.bytes_with(*entry) <= options.most_bytes) {
      retained.add(*entry);
    } else {
      out.entries.push_back(entry->address);
    }
  }
  for (const DamagedEntry& entry : inventory.damaged) {
    if (entry.used < old) out.entries.push_back(entry.address);
  }
  for (const InventoryBlob& blob : inventory.blobs) {
    const bool stays = retained.has(blob.blob) || blob.used >= old;
    (stays ? out.retained_bytes : out.removed_bytes) += blob.blob.size;
    if (!stays) out.blobs.push_back(blob.blob);
  }
  return out;
}

}  // namespace pinwheel::store
