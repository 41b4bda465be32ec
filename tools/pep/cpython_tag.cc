#include "pep/cpython_tag.h"

#include <charconv>

namespace pinwheel::pep {

std::optional<CPythonTag> parse_cpython_tag(std::string_view tag) {
  if (!tag.starts_with("cp3")) return std::nullopt;
  tag.remove_prefix(3);
  CPythonTag out;
  out.free_threaded = tag.ends_with('t');
  if (out.free_threaded) tag.remove_suffix(1);
  const auto [end, error] = std::from_chars(tag.data(), tag.data() + tag.size(), out.minor);
  if (error != std::errc() || end != tag.data() + tag.size() || tag[0] == '-') return std::nullopt;
  return out;
}

}  // namespace pinwheel::pep
