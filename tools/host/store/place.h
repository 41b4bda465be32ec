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

/// How a place failed. No fault fails a run: the place then counts as empty.
enum class FaultKind {
  unreachable,  ///< no answer: no network, no such directory, too slow
  busy,         ///< it answered that it is busy: 429, 5xx
  refused,      ///< it rejects the credentials, or the access
  full,         ///< no room: 507, a full disk
  wrong_bytes,  ///< its bytes do not match their name, or cannot be read
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

/// "`WHAT` has the sha256 ...": the bytes do not match their name.
tl::unexpected<PlaceFault> wrong_bytes(std::string_view what, std::string_view why);

/// The path of a blob's bytes on this machine.
using BlobFiles = std::map<store::Blob, std::filesystem::path>;

/// The result of writing an entry: it was written, or the place had an equivalent one, which stays.
enum class PutOutcome { written, present };

/// The users of a directory of entries: only this machine, for which blobs are durable and may be
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

  /// Whether another machine responds: one that was slow once is not used again.
  virtual bool is_remote() const { return false; }

  /// The entry at an address.
  virtual PlaceResult<std::optional<store::Entry>> find(const store::Address& address) = 0;

  /// Makes `target` a file with the blob's bytes, complete or not at all; false if the place does
  /// not have the blob. The directory of `target` exists, and an existing file is replaced.
  virtual PlaceResult<bool> fetch(const store::Blob& blob, const std::filesystem::path& target) = 0;

  /// Writes an entry at each of the addresses: the blobs in `files` first, each of which is
  /// compared with its digest or was, then the entry itself.
  virtual PlaceResult<PutOutcome> put(const std::vector<store::Address>& addresses,
                                      const store::Entry& entry, const BlobFiles& files) = 0;

  /// Entries that it rejected since the last call because they cannot belong to their address, each
  /// with the reason. They are not faults of the place.
  virtual std::vector<Error> rejected() { return {}; }

  /// The path of a blob's bytes on this machine, which never change; nullopt if there is none.
  virtual std::optional<std::filesystem::path> path_of(const store::Blob& /*blob*/) {
    return std::nullopt;
  }
};

/// Whether an existing object may be replaced.
enum class Replace { no, yes };

struct AddressToWrite {
  store::Address address;
  Replace replace = Replace::no;  ///< no: nothing existed
};

/// The addresses at which a place has no entry yet, or a worse one than this.
std::vector<AddressToWrite> addresses_to_write(Place& place,
                                               const std::vector<store::Address>& addresses,
                                               const store::Entry& entry);

}  // namespace pinwheel::host
