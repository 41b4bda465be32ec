#include <string>

#include "base/braces.h"
#include "base/encoded_pairs.h"
#include "base/hidden_text.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/parse_integer.h"
#include "base/read_toml.h"
#include "base/text.h"
#include "base/url.h"
#include "base/visible_text.h"
#include "fuzz/fuzz.h"

using namespace pinwheel;

// The functions that every room uses on text from outside. A document has no more levels than its
// limit, and a secret is in no text that is masked.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  const nlohmann::json json = read_json(text);
  if (!json.is_discarded()) {
    const std::string dumped = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    must(json_levels(dumped) <= limits::kJsonLevels);
    must(!read_json(dumped).is_discarded());
  }
  static_cast<void>(read_toml(text));
  static_cast<void>(split_url(text));
  static_cast<void>(resolve_url("https://host/a/b", text));
  static_cast<void>(decode_percent(text));
  for (const auto& [name, value] : parse_encoded_pairs(text).values) must(!name.empty());
  static_cast<void>(parse_bytes(text));
  static_cast<void>(parse_duration(text));
  static_cast<void>(parse_integer(text));
  static_cast<void>(parse_unsigned(text));
  static_cast<void>(mask_arguments({std::string(text), std::string(text)}));
  if (size < 100) static_cast<void>(expand_braces(text));
  static_cast<void>(visible(text));
  static_cast<void>(visible_lines(text));
  static_cast<void>(visible_output(text));
  static_cast<void>(visible_drawing(text));
  static_cast<void>(without_commands(text));
  const std::string secret = "s3cr3t-value";
  HiddenText hidden;
  hidden.add(Secret(secret));
  must(hidden.mask(std::string(text) + secret).find(secret) == std::string::npos);
  return 0;
}
