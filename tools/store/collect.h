#pragma once
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "store/address.h"
#include "store/entry.h"

namespace pinwheel::store {

using StoreTime = std::chrono::system_clock::time_point;

/// An entry in a place.
struct InventoryEntry {
  Address address;
  std::vector<Blob> blobs = {};  ///< its record and its outputs
  StoreTime used = {};           ///< when it was written or last found
};

/// A file among the entries that is not an entry: damaged, or left by a killed process.
struct DamagedEntry {
  Address address;  ///< its file name
  StoreTime used = {};
};

struct InventoryBlob {
  Blob blob;
  StoreTime used = {};  ///< when it was written, or last needed by something written
};

/// A run that used a place.
struct InventoryRun {
  std::string file;  ///< its file in the place
  std::string run;   ///< its id; several jobs may have the same
  Domain domain = Domain::branch;
  StoreTime used = {};
  bool living = false;
  bool publishes = false;
  std::set<Address> addresses = {};  ///< of the entries that it found and wrote
};

struct Inventory {
  std::vector<InventoryEntry> entries = {};
  std::vector<DamagedEntry> damaged = {};
  std::vector<InventoryBlob> blobs = {};
  std::vector<InventoryRun> runs = {};
};

struct CollectOptions {
  size_t releases = 3;      ///< the number of last publishing runs whose entries are retained
  uint64_t most_bytes = 0;  ///< unused entries are retained up to this size, last used first
  std::chrono::seconds grace = std::chrono::hours(24);  ///< entries used since then are retained
  StoreTime now = {};
};

/// The files to remove from a place.
struct Collection {
  std::vector<Address> entries = {};  ///< including damaged ones
  std::vector<Blob> blobs = {};
  std::vector<std::string> runs = {};  ///< their files
  uint64_t removed_bytes = 0;
  uint64_t retained_bytes = 0;
};

/// The files to remove. Retained are the entries that a running run, one of the last releases or a
/// run within the grace time used, entries used within that time, and, up to a size, the last used
/// ones. A damaged entry has no use: it is retained for the grace time only.
Collection collect(const Inventory& inventory, const CollectOptions& options);

}  // namespace pinwheel::store
