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
#include "store/stored_result.h"

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

/// Whether a place has a result already; one that has it keeps the one it has.
enum class Kept { new_one, had_it };

/// Who uses a directory of results: this machine alone, for which blobs are durable and may be
/// linked to, or others, too.
enum class Sharing { machine, shared };

/// Results and blobs by name. Thread-safe. A missing thing is a value; nothing that a place returns
/// is trusted because of where it lies: records and blobs are compared with their digests.
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

  /// The result at an address.
  virtual PlaceResult<std::optional<store::StoredResult>> find(const store::Address& address) = 0;

  /// Makes `target` a file with the blob's bytes, complete or not at all; false if the place does
  /// not have the blob. The directory of `target` exists, and a file that is there is replaced.
  virtual PlaceResult<bool> fetch(const store::Blob& blob, const std::filesystem::path& target) = 0;

  /// Keeps a result at each of the addresses: the blobs in `files` first, each of which is compared
  /// with its digest or was, then the record.
  virtual PlaceResult<Kept> put(const std::vector<store::Address>& addresses,
                                const store::StoredResult& result, const BlobFiles& files) = 0;

  /// Results that it had and did not give since the last call, because they are where they cannot
  /// belong, each with why. They are no faults of the place.
  virtual std::vector<Error> rejected() { return {}; }

  /// Where the bytes of a blob are on this machine, unchangeable; nullopt if they are not.
  virtual std::optional<std::filesystem::path> path_of(const store::Blob& /*blob*/) {
    return std::nullopt;
  }
};

/// Whether something may be replaced that is there already, by whomever it was written meanwhile.
enum class Replace { no, yes };

struct AddressToWrite {
  store::Address address;
  Replace replace = Replace::no;  ///< no: nothing was there
};

/// The addresses where a place has no such result yet, or one that this one improves.
std::vector<AddressToWrite> addresses_to_write(Place& place,
                                               const std::vector<store::Address>& addresses,
                                               const store::StoredResult& result);

}  // namespace pinwheel::host
