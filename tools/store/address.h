#pragma once
#include <string>
#include <string_view>

#include "store/domain.h"
#include "store/stored_result.h"

namespace pinwheel::store {

/// Where a result is in a store: a sha256 in hex, so that every kind of place has room for it.
struct Address {
  std::string hex;

  bool operator==(const Address&) const = default;
  auto operator<=>(const Address&) const = default;
};

/// That of the result with a key in a domain.
Address result_address(Domain domain, std::string_view key);

/// That of the result of a step of a frozen plan (its sha256): for a job that cannot know the key,
/// because it does not have the compiler that made the result.
Address hand_off_address(Domain domain, std::string_view plan_digest, std::string_view step);

/// Whether an address is one that follows from what a result says of itself. What lies elsewhere
/// is not what was asked for there.
bool is_address_of(const Address& address, const StoredResult& result);

}  // namespace pinwheel::store
