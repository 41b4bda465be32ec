#include "pep/cpython_tag.h"

#include <algorithm>
#include <charconv>

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::pep {
namespace {

constexpr int kFirstWithoutLock = 13;

/// "12" of "py312", "" of "py3"; nullopt for a tag of another kind, and for Python 2.
std::optional<std::string_view> python_minor(std::string_view python) {
  if (!python.starts_with("py3")) return std::nullopt;
  python.remove_prefix(3);
  if (!std::all_of(python.begin(), python.end(), is_digit)) return std::nullopt;
  return python;
}

/// Whether the ABI is that of one CPython, "cp313t" for "cp313", with the flags of its build.
bool is_abi_of(std::string_view abi, std::string_view python) {
  if (!abi.starts_with(python)) return false;
  const std::string_view flags = abi.substr(python.size());
  return flags.find_first_not_of("tdmu") == std::string_view::npos;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

std::optional<CPythonTag> parse_cpython_tag(std::string_view tag) {
  if (!tag.starts_with("cp3")) return std::nullopt;
  tag.remove_prefix(3);
  CPythonTag out;
  out.free_threaded = tag.ends_with('t');
  if (out.free_threaded) tag.remove_suffix(1);
  const std::optional<int> minor = parse_integer(tag);
  if (!minor || tag[0] == '-') return std::nullopt;
  out.minor = *minor;
  return out;
}

bool installs(const Tag& tag, const CPythonTag& python) {
  if (tag.abi == "none") {
    const std::optional<std::string_view> minor = python_minor(tag.python);
    int least = 0;
    if (minor && !minor->empty()) {
      std::from_chars(minor->data(), minor->data() + minor->size(), least);
    }
    if (minor) return least <= python.minor;
  }
  const std::optional<CPythonTag> named = parse_cpython_tag(tag.python);
  if (!named || named->free_threaded) return false;
  if (tag.abi == "none") return named->minor == python.minor;
  if (tag.abi == "abi3") return !python.free_threaded && named->minor <= python.minor;
  if (tag.abi == "abi3t") return python.free_threaded && named->minor <= python.minor;
  const std::string_view flags =
      std::string_view(tag.abi).substr(std::min(tag.python.size(), tag.abi.size()));
  const bool free_threaded = flags.find('t') != std::string_view::npos;
  return is_abi_of(tag.abi, tag.python) && named->minor == python.minor &&
         free_threaded == python.free_threaded;
}

bool has_installer(const Tag& tag) {
  const std::string_view python = tag.python;
  const bool major = python.starts_with("py2") || python.starts_with("py3");
  if (major && is_digits(python.substr(2))) return tag.abi == "none";
  if (!python.starts_with("cp2") && !python.starts_with("cp3")) return true;
  const bool one = python.size() > 3 && is_digits(python.substr(2));
  if (!one || tag.abi == "none") return one;
  const bool stable = python.starts_with("cp3") && (tag.abi == "abi3" || tag.abi == "abi3t");
  return stable || is_abi_of(tag.abi, python);
}

std::vector<CPythonTag> installing_pythons(const TagSet& tags) {
  const std::vector<Tag> all = expand(tags);
  std::vector<CPythonTag> out;
  for (int minor = 0; minor <= kNewestPython; ++minor) {
    for (const bool free_threaded : {false, true}) {
      if (free_threaded && minor < kFirstWithoutLock) continue;
      const CPythonTag python{minor, free_threaded};
      if (std::any_of(all.begin(), all.end(),
                      [&](const Tag& tag) { return installs(tag, python); })) {
        out.push_back(python);
      }
    }
  }
  return out;
}

}  // namespace pinwheel::pep
