#include <string>

#include "fuzz/fuzz.h"
#include "host/store/xml_value.h"
#include "store/action_result.h"
#include "store/aws.h"
#include "store/entry.h"
#include "store/place_description.h"

using namespace pinwheel;

// The contents of a store, the answers of a bucket, and the domains that may use a result.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  if (const auto result = store::parse_entry(text)) {
    const auto again = store::parse_entry(store::to_json(*result));
    must(again.has_value());
    must(store::to_json(*again) == store::to_json(*result));
  }
  if (const auto action = store::parse_action_result(text)) {
    must(store::parse_action_result(store::to_json(*action)).has_value());
  }
  static_cast<void>(store::parse_aws_profile(text, store::AwsFile::config, "default"));
  static_cast<void>(store::parse_aws_profile(text, store::AwsFile::credentials, "default"));
  static_cast<void>(store::parse_place(text));
  static_cast<void>(store::parse_places(text));
  static_cast<void>(host::xml_value(text, "Code"));
  return 0;
}
