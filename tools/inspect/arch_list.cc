#include "inspect/arch_list.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace pinwheel::inspect {
namespace {

using binary::CodeKind;

constexpr std::string_view kPtxSuffix = "+PTX";

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "90a" for "9.0a": major, a one-digit minor, and optionally `a` (that chip only) or `f` (its
/// family); "" for anything else.
std::string compute_capability(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos || !is_digits(text.substr(0, dot))) return "";
  std::string_view minor = text.substr(dot + 1);
  std::string suffix;
  if (minor.ends_with('a') || minor.ends_with('f')) {
    suffix = minor.back();
    minor.remove_suffix(1);
  }
  if (minor.size() != 1 || !is_digits(minor)) return "";
  return std::string(text.substr(0, dot)) + std::string(minor) + suffix;
}

Done add_targets(const std::string& entry, std::set<Target>& out) {
  if (entry.starts_with("gfx") && entry.size() > 3) {
    out.insert({CodeKind::code_object, entry});
    return {};
  }
  std::string_view number = entry;
  const bool with_ptx = number.ends_with(kPtxSuffix);
  if (with_ptx) number.remove_suffix(kPtxSuffix.size());
  const std::string capability = compute_capability(number);
  if (capability.empty()) {
    return fail(ErrorKind::config, quoted(entry) + " is not a GPU architecture",
                "use `9.0`, `9.0a` or `12.0+PTX` for NVIDIA, `gfx90a` for AMD");
  }
  out.insert({CodeKind::cubin, "sm_" + capability});
  if (with_ptx) out.insert({CodeKind::ptx, "compute_" + capability});
  return {};
}

}  // namespace

std::string to_string(const Target& target) {
  return (target.kind == CodeKind::ptx ? "PTX " : "") + target.architecture;
}

std::vector<std::string> split_arch_list(std::string_view text) {
  std::string spaced(text);
  std::replace_if(
      spaced.begin(), spaced.end(), [](char c) { return c == ';' || c == ','; }, ' ');
  std::vector<std::string> out = split(spaced, ' ');
  std::erase(out, "");
  return out;
}

Result<std::vector<Target>> targets_of(const std::vector<std::string>& arch_list) {
  std::set<Target> out;
  for (const std::string& entry : arch_list) TRY_DONE(add_targets(entry, out));
  return std::vector<Target>{out.begin(), out.end()};
}

}  // namespace pinwheel::inspect
