#include "init/system_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "project/debian_package.h"

namespace pinwheel::init {
namespace {

/// Names that Python packages, compilers, toolkits or CMake itself provide.
constexpr std::array<std::string_view, 33> kNoLibraries = {"python",
                                                           "python3",
                                                           "pythonlibs",
                                                           "pythoninterp",
                                                           "pythonextensions",
                                                           "py",
                                                           "pybind11",
                                                           "nanobind",
                                                           "torch",
                                                           "cuda",
                                                           "cudatoolkit",
                                                           "hip",
                                                           "threads",
                                                           "openmp",
                                                           "git",
                                                           "cython",
                                                           "numpy",
                                                           "pkgconfig",
                                                           "m",
                                                           "dl",
                                                           "pthread",
                                                           "rt",
                                                           "c",
                                                           "stdc++",
                                                           "cudart",
                                                           "cublas",
                                                           "cppy",
                                                           "scikit-build",
                                                           "skbuild",
                                                           "python3-embed",
                                                           "appleframeworks",
                                                           "accelerate",
                                                           "ws2_32"};

bool is_library(const std::string& name) {
  const std::string plain = project::plain_library_name(name);
  return name.find_first_of("${}") == std::string::npos && !plain.empty() &&
         std::ranges::find(kNoLibraries, plain) == kNoLibraries.end();
}

struct Wanted {
  std::vector<std::string> names;
  std::string file;
  /// Whether unknown names are libraries of the system: a package of CMake may be the project's
  /// own.
  bool all;
};

}  // namespace

std::vector<std::string> installed_packages(const std::string& command) {
  std::vector<std::string> packages;
  bool installs = false;
  std::string before;
  for (const std::string& word : split(replace_all(command, "\n", " "), ' ')) {
    if (word.empty()) continue;
    const bool manager = before == "apt-get" || before == "apt" || before == "yum" ||
                         before == "dnf" || before == "apk" || before == "-y";
    if (manager && (word == "install" || word == "add")) {
      installs = true;
    } else if (word.find_first_of("&|;") != std::string::npos) {
      installs = false;
    } else if (installs && word[0] != '-') {
      packages.push_back(word);
    }
    before = word;
  }
  return packages;
}

std::string apt_line(const std::vector<std::string>& packages) {
  std::set<std::string> known;
  std::vector<std::string> unknown;
  for (const std::string& name : packages) {
    const std::string package = project::debian_package(name);
    const bool of_debian = name.ends_with("-dev");
    if (!package.empty() || of_debian) {
      known.insert(package.empty() ? name : package);
    } else {
      unknown.push_back(name);
    }
  }
  std::string line;
  if (!known.empty()) {
    line = quoted(fmt::format("apt-get install {}", join({known.begin(), known.end()}, " ")));
  }
  if (unknown.empty()) return line;
  return fmt::format("{}{}find the package of {} by `apt-cache search`", line,
                     line.empty() ? "" : ", and ", quoted_list(unknown));
}

namespace {

/// The names of system libraries, each once in any spelling.
std::vector<std::string> libraries_among(const Wanted& place, std::vector<std::string> names) {
  for (const std::string& name : place.names) {
    const bool known = is_library(name) && (place.all || !project::debian_package(name).empty());
    const bool again = std::ranges::any_of(names, [&name](const std::string& other) {
      const std::string package = project::debian_package(name);
      return project::plain_library_name(other) == project::plain_library_name(name) ||
             (!package.empty() && package == project::debian_package(other));
    });
    if (known && !again) names.push_back(name);
  }
  return names;
}

std::vector<Wanted> wanted_by(const ProjectFacts& facts) {
  std::vector<Wanted> places;
  if (facts.cmake) {
    places.push_back({facts.cmake->packages, "CMakeLists.txt", false});
    places.push_back({facts.cmake->pkg_config, "CMakeLists.txt", true});
    places.push_back({facts.cmake->libraries, "CMakeLists.txt", false});
  }
  if (facts.meson) {
    places.push_back({facts.meson->dependencies, "meson.build", true});
    places.push_back({facts.meson->libraries, "meson.build", false});
  }
  if (facts.setup_py) places.push_back({facts.setup_py->libraries, "setup.py", false});
  if (facts.setup_cfg) places.push_back({facts.setup_cfg->libraries, "setup.cfg", false});
  places.push_back({facts.tools.setuptools_libraries, "pyproject.toml", false});
  const bool rust = backend(facts) == project::Backend::maturin ||
                    !requirements_on(build_requires(facts), "setuptools-rust").empty();
  for (const project::CargoManifest& manifest : facts.cargo) {
    if (!rust) break;
    places.push_back({manifest.system_libraries, "Cargo.toml", false});
  }
  return places;
}

}  // namespace

namespace {

/// The headers of known libraries that sources include, without those of packages that are named
/// already: each with the first source that includes it.
std::map<std::string, std::vector<std::string>> headers_by_source(const ProjectFacts& facts,
                                                                  std::set<std::string> packages) {
  std::map<std::string, std::vector<std::string>> by_source;
  for (const project::ScannedSource& source : facts.sources) {
    for (const std::string& header : source.includes) {
      const std::string package = project::debian_package_of_header(header);
      if (package.empty() || !is_library(header.substr(0, header.find_first_of("./")))) continue;
      if (packages.insert(package).second) by_source[source.path].push_back(header);
    }
  }
  return by_source;
}

/// The `apt-get` line for headers.
std::string line_of_headers(const std::vector<std::string>& headers) {
  std::set<std::string> packages;
  for (const std::string& header : headers) {
    packages.insert(project::debian_package_of_header(header));
  }
  return quoted(fmt::format("apt-get install {}", join({packages.begin(), packages.end()}, " ")));
}

}  // namespace

std::vector<LeftOut> system_libraries(const ProjectFacts& facts) {
  std::map<std::string, std::vector<std::string>> by_file;
  std::set<std::string> packages;
  for (const Wanted& place : wanted_by(facts)) {
    std::vector<std::string>& names = by_file[place.file];
    names = libraries_among(place, std::move(names));
    for (const std::string& name : names) packages.insert(project::debian_package(name));
  }
  std::vector<LeftOut> found;
  for (const auto& [file, names] : by_file) {
    if (names.empty()) continue;
    found.push_back({fmt::format("libraries of the system: {} ({})", quoted_list(names), file),
                     "if the build needs them: " + apt_line(names)});
  }
  for (const auto& [source, headers] : headers_by_source(facts, std::move(packages))) {
    found.push_back({fmt::format("headers of the system: {} ({})", quoted_list(headers), source),
                     "if the build needs them: " + line_of_headers(headers)});
  }
  return found;
}

}  // namespace pinwheel::init
