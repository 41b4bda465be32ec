#include "base/limits.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel {

Error too_large(std::string_view subject, const ByteLimit& limit) {
  return {ErrorKind::check, fmt::format("{} is larger than the limit of {} for {}", subject,
                                        format_bytes(limit.most), limit.of)};
}

Error too_many(std::string_view subject, const CountLimit& limit) {
  return {ErrorKind::check, fmt::format("{} has more than {} {}, the limit for {}", subject,
                                        limit.most, limit.parts, limit.of)};
}

Done check_size(std::string_view subject, uint64_t bytes, const ByteLimit& limit) {
  if (bytes > limit.most) return fail(too_large(subject, limit));
  return {};
}

}  // namespace pinwheel
