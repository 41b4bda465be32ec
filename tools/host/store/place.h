#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/address.h"
#include "store/entry.h"

namespace pinwheel::host {

/// How a place failed. None of it fails a run: the place counts as one that has nothing.
enum class FaultKind {
  unreachable,  ///< no answer: no network, no such directory, too slow
  busy,         ///< it answered that it cannot now: 429, 5xx
  refused,      ///< it wants other credentials, or forbids it
  full,         ///< no room: 507, a full disk
  wrong_bytes,  ///< what it gave is not what its name says, or cannot be read
  stopped,      ///< the run was stopped meanwhile
};

std::string_view to_string(FaultKind kind);

struct PlaceFault {
  FaultKind kind = FaultKind::unreachable;
  Error error;
};

template <class T>
using PlaceResult = tl::expected<T, PlaceFault>;
using PlaceDone = PlaceResult<void>;

inline tl::unexpected<PlaceFault> fault(FaultKind kind, Error error) {
  return tl::unexpected(PlaceFault{kind, std::move(error)});
}

/// "`WHAT` has the sha256 ...": what was read is not what its name says.
tl::unexpected<PlaceFault> wrong_bytes(std::string_view what, std::string_view why);

/// Where a blob's bytes are on this machine.
using BlobFiles = std::map<store::Blob, std::filesystem::path>;

/// What a place did with an entry: it wrote it, or it had one that is as good, which stays.
enum class PutOutcome { written, present };

/// Who uses a directory of entries: this machine alone, for which blobs are durable and may be
/// linked to, or others, too.
enum class Sharing { machine, shared };

/// Entries by address and blobs by digest. Thread-safe. A missing thing is a value; nothing that a
/// place returns is trusted because of its location: entries and blobs are compared with their
/// digests.
class Place {
 public:
  Place() = default;
  virtual ~Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// For messages: "local", "dir:out", "https://host/prefix".
  virtual std::string name() const = 0;

  /// Whether another machine answers: one that is slow once is not asked again.
  virtual bool is_remote() const { return false; }

  /// The entry at an address.
  virtual PlaceResult<std::optional<store::Entry>> find(const store::Address& address) = 0;

  /// Makes `target` a file with the blob's bytes, complete or not at all; false if the place does
  /// not have the blob. The directory of `target` exists, and a file that is there is replaced.
  virtual PlaceResult<bool> fetch(const store::Blob& blob, const std::filesystem::path& target) = 0;

  /// Writes an entry at each of the addresses: the blobs in `files` first, each of which is
  /// compared with its digest or was, then the entry itself.
  virtual PlaceResult<PutOutcome> put(const std::vector<store::Address>& addresses,
                                      const store::Entry& entry, const BlobFiles& files) = 0;

  /// Entries that it rejected since the last call because they cannot belong to their address, each
  /// with the reason. They are no faults of the place.
  virtual std::vector<Error> rejected() { return {}; }

  /// Where the bytes of a blob are on this machine, unchangeable; nullopt if they are not.
  virtual std::optional<std::filesystem::path> path_of(const store::Blob& /*blob*/) {
    return std::nullopt;
  }
};

/// Whether something that is there already may be replaced.
enum class Replace { no, yes };

struct AddressToWrite {
  store::Address address;
  Replace replace = Replace::no;  ///< no: nothing was there
};

/// The addresses where a place has no entry yet, or one that this one improves.
std::vector<AddressToWrite> addresses_to_write(Place& place,
                                               const std::vector<store::Address>& addresses,
                                               const store::Entry& entry);

}  // namespace pinwheel::host
