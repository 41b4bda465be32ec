#include "compat/python_tags.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "pep/cpython_tag.h"

namespace pinwheel::compat {

bool runs_on(const pep::TagSet& tags, const std::string& python) {
  const std::optional<pep::CPythonTag> wanted = pep::parse_cpython_tag(python);
  if (!wanted) return false;
  const std::vector<pep::Tag> all = pep::expand(tags);
  return std::any_of(all.begin(), all.end(),
                     [&](const pep::Tag& tag) { return pep::installs(tag, *wanted); });
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
    if (!pep::has_installer(tag)) continue;
    if (tag.abi == "none" && tag.python.starts_with("py")) {
      add("any Python " + tag.python.substr(2, 1));
    } else if (tag.abi == "abi3") {
      add("CPython " + python_version(tag.python) + " and later");
    } else if (tag.abi == "abi3t") {
      add("free-threaded CPython " + python_version(tag.python) + " and later");
    } else {
      add("CPython " + python_version(tag.abi == "none" ? tag.python : tag.abi));
    }
  }
  return parts.empty() ? "none" : join(parts, ", ");
}

}  // namespace pinwheel::compat
