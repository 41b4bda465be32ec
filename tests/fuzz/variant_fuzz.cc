#include "fuzz/fuzz.h"
#include "pep/wheel_variant.h"
#include "wheel/variant_metadata.h"

using namespace pinwheel;

// The metadata of wheel variants is equal after writing and reading it again; of an earlier draft
// only the properties are.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  static_cast<void>(pep::parse_variant_draft(text));
  const auto metadata = wheel::parse_variant_metadata(text);
  if (!metadata) return 0;
  const auto again = wheel::parse_variant_metadata(to_string(*metadata));
  must(again.has_value());
  must(again->variants == metadata->variants);
  if (metadata->draft) must(*again == *metadata);
  for (const auto& [label, properties] : metadata->variants) {
    must(pep::is_variant_label(label));
    must(!metadata->draft ||
         wheel::property_lines(properties).empty() == (label == pep::kNullVariant));
  }
  return 0;
}
