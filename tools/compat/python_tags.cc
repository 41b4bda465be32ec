#include "compat/python_tags.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "pep/cpython_tag.h"

namespace pinwheel::compat {
namespace {

bool runs_one(const pep::Tag& tag, const pep::CPythonTag& python) {
  const std::optional<pep::CPythonTag> least = pep::parse_cpython_tag(tag.python);
  if (tag.abi == "none") {
    return tag.python.starts_with("py3") || (least && least->minor == python.minor);
  }
  if (tag.abi == "abi3") return least && least->minor <= python.minor && !python.free_threaded;
  if (tag.abi == "abi3t") return least && least->minor <= python.minor;
  const std::optional<pep::CPythonTag> abi = pep::parse_cpython_tag(tag.abi);
  return abi && abi->minor == python.minor && abi->free_threaded == python.free_threaded;
}

}  // namespace

bool runs_on(const pep::TagSet& tags, const std::string& python) {
  const std::optional<pep::CPythonTag> wanted = pep::parse_cpython_tag(python);
  if (!wanted) return false;
  const std::vector<pep::Tag> all = pep::expand(tags);
  return std::any_of(all.begin(), all.end(),
                     [&](const pep::Tag& tag) { return runs_one(tag, *wanted); });
}

std::string python_version(const std::string& tag) {
  const std::optional<pep::CPythonTag> python = pep::parse_cpython_tag(tag);
  if (!python) return tag;
  return "3." + std::to_string(python->minor) + (python->free_threaded ? "t" : "");
}

std::string python_text(const pep::TagSet& tags) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::string text) {
    if (std::find(parts.begin(), parts.end(), text) == parts.end())
      parts.push_back(std::move(text));
  };
  for (const pep::Tag& tag : pep::expand(tags)) {
    if (tag.abi == "none" && tag.python.starts_with("py")) {
      add("any Python " + tag.python.substr(2, 1));
    } else if (tag.abi.starts_with("abi3")) {
      add("CPython " + python_version(tag.python) + " and later");
    } else {
      add("CPython " + python_version(tag.abi == "none" ? tag.python : tag.abi));
    }
  }
  return join(parts, ", ");
}

}  // namespace pinwheel::compat
