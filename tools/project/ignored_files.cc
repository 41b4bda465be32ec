#include "project/ignored_files.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "pep/name.h"

namespace pinwheel::project {
namespace {

constexpr std::array<std::string_view, 5> kDirectories = {"tests", "test", "docs", "doc",
                                                          ".github"};
constexpr std::array<std::string_view, 8> kTexts = {"README",          "CHANGELOG", "CHANGES",
                                                    "HISTORY",         "NEWS",      "CONTRIBUTING",
                                                    "CODE_OF_CONDUCT", "SECURITY"};
/// Whether a name at the top level is that of a text file such as README.md.
bool is_top_text(std::string_view file) {
  const std::string_view ending = file.substr(std::min(file.find('.'), file.size()));
  const bool text = ending.empty() || ending == ".md" || ending == ".rst" || ending == ".txt";
  return text && std::ranges::any_of(
                     kTexts, [file](std::string_view each) { return file.starts_with(each); });
}

/// The tables of pyproject.toml that define the contents of a wheel.
constexpr std::array<std::string_view, 11> kTables = {
    "project",           "build-system",      "tool.setuptools", "tool.hatch",
    "tool.flit",         "tool.poetry",       "tool.pdm",        "tool.uv",
    "tool.scikit-build", "tool.meson-python", "tool.maturin"};

bool matches_part(std::string_view pattern, std::string_view path) {
  // `**/` stands for any directories, also none.
  if (pattern.starts_with("**/")) {
    if (matches_part(pattern.substr(3), path)) return true;
    const size_t slash = path.find('/');
    return slash != std::string_view::npos && matches_part(pattern, path.substr(slash + 1));
  }
  if (pattern == "**") return true;
  const size_t end = pattern.find('/');
  const size_t slash = path.find('/');
  if (!glob_match(pattern.substr(0, end), path.substr(0, slash))) return false;
  if (end == std::string_view::npos || slash == std::string_view::npos) {
    return end == slash;
  }
  return matches_part(pattern.substr(end + 1), path.substr(slash + 1));
}

enum class PathKind { file, directory };

/// Whether a pattern, without its `!`, matches the path itself.
bool matches_path(std::string_view pattern, std::string_view path, PathKind kind) {
  if (pattern.ends_with('/')) {
    if (kind == PathKind::file) return false;
    pattern.remove_suffix(1);
  }
  if (pattern.starts_with('/')) return matches_part(pattern.substr(1), path);
  if (pattern.find('/') != std::string_view::npos) return matches_part(pattern, path);
  return glob_match(pattern, path.substr(path.rfind('/') + 1));
}

/// Whether a pattern matches a file or a directory above it.
bool matches_file(std::string_view pattern, std::string_view path) {
  if (matches_path(pattern, path, PathKind::file)) return true;
  for (size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (matches_path(pattern, path.substr(0, slash), PathKind::directory)) return true;
  }
  return false;
}

/// Whether a text has a name as a word: "docs" in `add_subdirectory(docs)`, not in "docsets".
bool has_word(std::string_view text, std::string_view word) {
  const auto is_part = [text](size_t at) {
    return at < text.size() && (is_alphanumeric(text[at]) || text[at] == '_');
  };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + word.size())) return true;
  }
  return false;
}

/// The lines of pyproject.toml that can add something to a wheel.
std::string deciding_lines(const std::string& pyproject) {
  std::string lines;
  bool counts = false;
  for (const std::string& each : split(pyproject, '\n')) {
    const std::string_view line = trim(each);
    if (line.starts_with('[')) {
      const std::string table(trim(line.substr(1, line.find(']') - 1)));
      counts = table != "project.urls" &&
               std::any_of(kTables.begin(), kTables.end(), [&table](std::string_view known) {
                 return table == known || table.starts_with(std::string(known) + ".");
               });
    }
    if (counts && !line.starts_with("exclude")) lines += each + "\n";
  }
  return lines;
}

bool has_file(const WheelInputs& inputs, const std::string& path) {
  return std::find(inputs.files.begin(), inputs.files.end(), path) != inputs.files.end();
}

/// Whether setuptools would treat a top-level directory as a package of the project.
bool is_found_package(const WheelInputs& inputs, const std::string& directory) {
  if (pep::normalize_name(directory) == pep::normalize_name(inputs.name)) return true;
  if (!has_file(inputs, directory + "/__init__.py")) return false;
  return std::any_of(inputs.builds.begin(), inputs.builds.end(), [](const auto& build) {
    const std::string& text = build.second;
    return text.find("find_packages") != std::string::npos ||
           text.find("find:") != std::string::npos ||
           text.find("packages.find") != std::string::npos;
  });
}

/// Whether a build file or a command names a file or a directory.
bool is_named(const WheelInputs& inputs, const std::string& name) {
  const auto in_build = [&name](const auto& build) {
    return has_word(build.first == "pyproject.toml" ? deciding_lines(build.second) : build.second,
                    name);
  };
  const auto in_command = [&name](const std::string& word) { return has_word(word, name); };
  return std::any_of(inputs.builds.begin(), inputs.builds.end(), in_build) ||
         std::any_of(inputs.commands.begin(), inputs.commands.end(), in_command);
}

/// Whether the directory `matrix` contains only matrix files and their locks: setuptools treats
/// every top-level directory as a package.
bool has_only_matrices(const WheelInputs& inputs) {
  size_t matrices = 0;
  for (const std::string& file : inputs.files) {
    if (!file.starts_with("matrix/")) continue;
    ++matrices;
    const bool lock = file.find(".locks/") != std::string::npos;
    if (!lock && !file.ends_with(".yaml") && !file.ends_with(".yml")) return false;
  }
  // A source that consists of matrix files only must not become empty.
  return matrices > 0 && matrices < inputs.files.size() && !is_named(inputs, "matrix");
}

}  // namespace

const std::vector<std::string> kBuildFiles = {"pyproject.toml", "setup.py",    "setup.cfg",
                                              "CMakeLists.txt", "meson.build", "Cargo.toml",
                                              "hatch_build.py", "build.py"};

bool is_ignored(const std::vector<std::string>& patterns, std::string_view path) {
  bool ignored = false;
  for (std::string_view pattern : patterns) {
    const bool includes = pattern.starts_with('!');
    if (includes) pattern.remove_prefix(1);
    if (matches_file(pattern, path)) ignored = !includes;
  }
  return ignored;
}

bool is_documentation(std::string_view path) {
  const size_t slash = path.find('/');
  if (slash == std::string_view::npos) return is_top_text(path);
  const std::string_view directory = path.substr(0, slash);
  return directory == "docs" || directory == "doc" || directory == ".github";
}

std::vector<std::string> not_in_wheels(const WheelInputs& inputs) {
  std::vector<std::string> patterns;
  for (const std::string_view each : kDirectories) {
    const std::string directory(each);
    if (is_named(inputs, directory) || is_found_package(inputs, directory)) continue;
    patterns.push_back("/" + directory + "/");
  }
  if (has_only_matrices(inputs)) patterns.push_back("/matrix/");
  if (inputs.files.size() > 1) {
    for (const char* const name : {"pinwheel.yaml", "pinwheel.locks"}) {
      if (!is_named(inputs, name)) patterns.push_back(std::string("/") + name);
    }
  }
  const bool cargo = inputs.builds.contains("Cargo.toml");
  for (const std::string& file : inputs.files) {
    if (file.find('/') != std::string::npos || is_named(inputs, file)) continue;
    if (!is_top_text(file)) continue;
    // Cargo uses a README as the description of a package that names none.
    if (cargo && file.starts_with("README")) continue;
    patterns.push_back("/" + file);
  }
  return patterns;
}

}  // namespace pinwheel::project
