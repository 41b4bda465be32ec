#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"

namespace pinwheel {

/// A list such as "name=value,other=a%20value", as OpenTelemetry's variables have it
/// (https://www.w3.org/TR/baggage/): values are percent-decoded, and spaces around names and values
/// are not part of them.
struct EncodedPairs {
  std::map<std::string, std::string> values = {};  ///< the last one of a name
  size_t malformed = 0;                            ///< entries without a name or a `=`
};
EncodedPairs parse_encoded_pairs(std::string_view text);

/// Whether the value of a header may be a credential. A plain word, such as the name of a dataset,
/// is none unless the header's name says so: hidden, it would vanish from every text.
bool is_secret_header(std::string_view name, std::string_view value);

/// Whether a variable has the headers of requests to a collector of telemetry as its value, which
/// usually are credentials: OTEL_EXPORTER_OTLP_HEADERS and its siblings.
bool names_otlp_headers(std::string_view name);
/// The secrets in such headers: the values, and the part after the scheme of an `Authorization`.
std::vector<Secret> secrets_in_headers(std::string_view headers);

}  // namespace pinwheel
