#include "store/address.h"

#include <initializer_list>

#include "base/digest.h"

namespace pinwheel::store {
namespace {

/// Incremented when a change must invalidate the entries of older versions of pinwheel.
constexpr std::string_view kResultSchema = "pinwheel-result/1";
constexpr std::string_view kHandOffSchema = "pinwheel-hand-off/1";

/// A line for each part; none of them contains a line break, so no two lists have the same text.
Address address_of(std::initializer_list<std::string_view> parts) {
  Sha256 hash;
  for (const std::string_view part : parts) {
    hash.update(part);
    hash.update("\n");
  }
  return {to_hex(hash.finish())};
}

}  // namespace

Address entry_address(Domain domain, std::string_view key) {
  return address_of({kResultSchema, to_string(domain), key});
}

Address hand_off_address(Domain domain, std::string_view plan_digest, std::string_view step) {
  return address_of({kHandOffSchema, to_string(domain), plan_digest, step});
}

bool is_address_of(const Address& address, const Entry& entry) {
  const Domain domain = entry.writer.domain;
  return address == entry_address(domain, entry.key) ||
         address == hand_off_address(domain, entry.plan, entry.step);
}

}  // namespace pinwheel::store
