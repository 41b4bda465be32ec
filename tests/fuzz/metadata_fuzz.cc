#include "fuzz/fuzz.h"
#include "pep/requirement.h"
#include "wheel/derivation.h"
#include "wheel/metadata.h"
#include "wheel/pinned_requirements.h"
#include "wheel/wheel_file.h"

using namespace pinwheel;

// Metadata that was read is equal after writing and reading it again, changed or not. Rewritten
// requirements are requirements. A pinned wheel that is pinned again stays the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  const auto block = wheel::parse_headers(text, "METADATA");
  if (block) must(wheel::parse_headers(to_string(*block), "METADATA") == *block);
  auto metadata = wheel::parse_metadata(text);
  if (metadata) {
    const wheel::Naming own{metadata->name(), metadata->version(), {}};
    const auto derived = wheel::derived_requirements(*metadata, own, {{own, {"derived", "1", {}}}});
    for (const auto& [before, after] : derived.changed)
      must(pep::parse_requirement(after).has_value());
    wheel::Metadata pinned = *metadata;
    const wheel::Pins pins = {{"torch", "torch-cu130==2.10"}, {"a", "a==1"}};
    if (wheel::pin_requirements(pinned, pins)) {
      auto once = wheel::parse_metadata(to_string(pinned));
      must(once && once->block == pinned.block);
      must(wheel::pin_requirements(*once, pins) && once->block == pinned.block);
    }
    wheel::set_requirement(*metadata, "torch>=2.10");
    const auto again = wheel::parse_metadata(to_string(*metadata));
    must(again && again->block == metadata->block);
  }
  auto file = wheel::parse_wheel_file(text);
  if (file) {
    wheel::set_tags(*file, {"py3-none-any"});
    const auto again = wheel::parse_wheel_file(to_string(*file));
    must(again && again->tags() == file->tags());
  }
  return 0;
}
