#include "host/store/place.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::host {

std::string_view to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::unreachable:
      return "unreachable";
    case FaultKind::busy:
      return "busy";
    case FaultKind::refused:
      return "refused";
    case FaultKind::full:
      return "full";
    case FaultKind::wrong_bytes:
      return "wrong-bytes";
    case FaultKind::stopped:
      return "stopped";
  }
  return {};
}

tl::unexpected<PlaceFault> wrong_bytes(std::string_view what, std::string_view why) {
  return fault(FaultKind::wrong_bytes,
               Error{ErrorKind::check, fmt::format("{} {}", quoted(what), why)});
}

std::vector<AddressToWrite> addresses_to_write(Place& place,
                                               const std::vector<store::Address>& addresses,
                                               const store::Entry& entry) {
  std::vector<AddressToWrite> out;
  for (const store::Address& address : addresses) {
    const auto present = place.find(address);
    // A damaged entry is replaced, and so is one without its blobs.
    if (!present) out.push_back({address, Replace::yes});
    if (present && (!*present || store::improves(entry, **present))) {
      out.push_back({address, *present ? Replace::yes : Replace::no});
    }
  }
  return out;
}

}  // namespace pinwheel::host
