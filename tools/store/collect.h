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

/// An entry that a place has.
struct InventoryEntry {
  Address address;
  std::vector<Blob> blobs = {};  ///< its record and its outputs
  StoreTime used = {};           ///< when it was written or last found
};

/// A file among the entries that is none: damaged, or what a killed process left.
struct DamagedEntry {
  Address address;  ///< its name, whatever it is
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
  size_t releases = 3;      ///< what that many of the last runs that publish used stays
  uint64_t most_bytes = 0;  ///< what nothing needs stays up to this size, last used first
  std::chrono::seconds grace = std::chrono::hours(24);  ///< what was used since then stays
  StoreTime now = {};
};

/// What is removed from a place.
struct Collection {
  std::vector<Address> entries = {};  ///< damaged ones among them
  std::vector<Blob> blobs = {};
  std::vector<std::string> runs = {};  ///< their files
  uint64_t removed_bytes = 0;
  uint64_t kept_bytes = 0;
};

/// What may be removed: everything but what a living run, one of the last releases or a run within
/// the grace time used, what was used itself within that time, and, up to a size, what was used
/// last. A damaged entry is of use to nobody: it stays for the grace time only.
Collection collect(const Inventory& inventory, const CollectOptions& options);

}  // namespace pinwheel::store
