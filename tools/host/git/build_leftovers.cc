#include "host/git/build_leftovers.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "host/system/files.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The directory whose build tree, cache or environment the file marks, with a slash; empty: none.
std::string marked_tree(const std::string& name) {
  constexpr std::string_view kMeson = "/meson-private/";
  const size_t meson = name.find(kMeson);
  if (meson != std::string::npos) return name.substr(0, meson + 1);
  constexpr std::array<std::string_view, 3> kMarks = {"CMakeCache.txt", "CACHEDIR.TAG",
                                                      "pyvenv.cfg"};
  const std::string_view file = last_part(name);
  const bool marks = std::find(kMarks.begin(), kMarks.end(), file) != kMarks.end();
  return marks ? name.substr(0, name.size() - file.size()) : std::string();
}

/// Whether a directory with that name contains only leftovers, at any depth.
bool is_cache(std::string_view directory) {
  constexpr std::array<std::string_view, 8> kCaches = {"__pycache__", ".eggs",    ".mypy_cache",
                                                       ".nox",        "_skbuild", ".pytest_cache",
                                                       ".ruff_cache", ".tox"};
  return std::find(kCaches.begin(), kCaches.end(), directory) != kCaches.end();
}

/// The files that setuptools writes to `build/`, and frontends to `dist/`, at the top level.
bool is_in_output(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return false;
  constexpr std::array<std::string_view, 5> kBuild = {"lib", "lib.*", "temp.*", "bdist.*",
                                                      "scripts-*"};
  constexpr std::array<std::string_view, 3> kDist = {"*.whl", "*.tar.gz", "*.egg"};
  const auto matches = [&parts](std::string_view glob) { return glob_match(glob, parts[1]); };
  if (parts[0] == "build" && parts.size() > 2) {
    return std::any_of(kBuild.begin(), kBuild.end(), matches);
  }
  return parts[0] == "dist" && parts.size() == 2 &&
         std::any_of(kDist.begin(), kDist.end(), matches);
}

bool is_in_word(char c) {
  return is_alphanumeric(c) || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_in_word(text[at - 1]);
    if (begins && (end == text.size() || !is_in_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

BuildLeftovers::BuildLeftovers(const fs::path& directory, const std::vector<std::string>& names)
    : names_(names), from_sdist_(has("PKG-INFO")) {
  for (const std::string& name : names) {
    std::string tree = marked_tree(name);
    if (!tree.empty()) trees_.push_back(std::move(tree));
  }
  LocalFiles files;
  for (const char* const name :
       {"setup.py", "setup.cfg", "pyproject.toml", "CMakeLists.txt", "meson.build"}) {
    const Result<std::string> text = files.read(directory / name);
    if (text) build_files_ += *text + "\n";
  }
}

bool BuildLeftovers::contains(const std::string& name) const {
  const auto is_below = [&name](const std::string& tree) { return name.starts_with(tree); };
  if (std::any_of(trees_.begin(), trees_.end(), is_below)) return true;
  std::vector<std::string> parts = split(name, '/');
  if (is_in_output(parts)) return true;
  parts.pop_back();
  const bool left = std::any_of(parts.begin(), parts.end(), [this](const std::string& directory) {
    return is_cache(directory) || (!from_sdist_ && directory.ends_with(".egg-info"));
  });
  return left || is_made_module(name);
}

bool BuildLeftovers::build_files_name(std::string_view name) const {
  return has_word(build_files_, name);
}

/// A module for one Python that is built in the directory where the package imports it, as
/// `build_ext --inplace` and editable installations do. A shipped module is not a leftover: there
/// is no source with its name next to it, and no build file names it.
bool BuildLeftovers::is_made_module(const std::string& name) const {
  const std::string_view file = last_part(name);
  const std::string_view stem = file.substr(0, file.find('.'));
  if (stem.empty() || !glob_match("*.{cpython-3*,abi3,pypy3*}.so", file)) return false;
  const std::string base = name.substr(0, name.size() - file.size() + stem.size());
  constexpr std::array<std::string_view, 6> kSources = {".c", ".cc", ".cpp", ".cu", ".cxx", ".pyx"};
  return build_files_name(stem) ||
         std::any_of(kSources.begin(), kSources.end(),
                     [&](std::string_view ending) { return has(base + std::string(ending)); });
}

bool BuildLeftovers::has(const std::string& name) const {
  return std::binary_search(names_.begin(), names_.end(), name);
}

}  // namespace pinwheel::host
