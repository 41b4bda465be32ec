#include "init/system_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"

namespace pinwheel::init {
namespace {

/// A library by the names of build systems and of distributions, in lower case without `lib` and
/// `-devel`.
struct Library {
  std::string_view name;
  std::string_view package;  ///< of Debian
};

constexpr std::array kLibraries = {Library{"z", "zlib1g-dev"},
                                   Library{"zlib", "zlib1g-dev"},
                                   Library{"bz2", "libbz2-dev"},
                                   Library{"bzip2", "libbz2-dev"},
                                   Library{"lzma", "liblzma-dev"},
                                   Library{"xz", "liblzma-dev"},
                                   Library{"zstd", "libzstd-dev"},
                                   Library{"lz4", "liblz4-dev"},
                                   Library{"snappy", "libsnappy-dev"},
                                   Library{"brotli", "libbrotli-dev"},
                                   Library{"openssl", "libssl-dev"},
                                   Library{"ssl", "libssl-dev"},
                                   Library{"crypto", "libssl-dev"},
                                   Library{"ffi", "libffi-dev"},
                                   Library{"sodium", "libsodium-dev"},
                                   Library{"curl", "libcurl4-openssl-dev"},
                                   Library{"xml2", "libxml2-dev"},
                                   Library{"xml-2.0", "libxml2-dev"},
                                   Library{"xslt", "libxslt1-dev"},
                                   Library{"yaml", "libyaml-dev"},
                                   Library{"yaml-0.1", "libyaml-dev"},
                                   Library{"expat", "libexpat1-dev"},
                                   Library{"sqlite3", "libsqlite3-dev"},
                                   Library{"sqlite", "libsqlite3-dev"},
                                   Library{"pq", "libpq-dev"},
                                   Library{"postgresql", "libpq-dev"},
                                   Library{"jpeg", "libjpeg-dev"},
                                   Library{"jpeg-turbo", "libjpeg-dev"},
                                   Library{"png", "libpng-dev"},
                                   Library{"tiff", "libtiff-dev"},
                                   Library{"webp", "libwebp-dev"},
                                   Library{"freetype", "libfreetype-dev"},
                                   Library{"freetype2", "libfreetype-dev"},
                                   Library{"blas", "libopenblas-dev"},
                                   Library{"lapack", "libopenblas-dev"},
                                   Library{"openblas", "libopenblas-dev"},
                                   Library{"scipy-openblas", "libopenblas-dev"},
                                   Library{"fftw3", "libfftw3-dev"},
                                   Library{"fftw", "libfftw3-dev"},
                                   Library{"gsl", "libgsl-dev"},
                                   Library{"hdf5", "libhdf5-dev"},
                                   Library{"netcdf", "libnetcdf-dev"},
                                   Library{"eigen3", "libeigen3-dev"},
                                   Library{"boost", "libboost-dev"},
                                   Library{"zmq", "libzmq3-dev"},
                                   Library{"zeromq", "libzmq3-dev"},
                                   Library{"uv", "libuv1-dev"},
                                   Library{"protobuf", "libprotobuf-dev"},
                                   Library{"gmp", "libgmp-dev"},
                                   Library{"mpfr", "libmpfr-dev"},
                                   Library{"geos", "libgeos-dev"},
                                   Library{"geos_c", "libgeos-dev"},
                                   Library{"proj", "libproj-dev"},
                                   Library{"gdal", "libgdal-dev"},
                                   Library{"opencv", "libopencv-dev"},
                                   Library{"sndfile", "libsndfile1-dev"},
                                   Library{"asound", "libasound2-dev"},
                                   Library{"avcodec", "libavcodec-dev"},
                                   Library{"avformat", "libavformat-dev"},
                                   Library{"avutil", "libavutil-dev"},
                                   Library{"usb-1.0", "libusb-1.0-0-dev"},
                                   Library{"krb5", "libkrb5-dev"},
                                   Library{"ldap", "libldap-dev"},
                                   Library{"ncurses", "libncurses-dev"},
                                   Library{"readline", "libreadline-dev"},
                                   Library{"tbb", "libtbb-dev"},
                                   Library{"mpi", "libopenmpi-dev"},
                                   Library{"cairo", "libcairo2-dev"},
                                   Library{"re2", "libre2-dev"},
                                   Library{"gflags", "libgflags-dev"},
                                   Library{"glog", "libgoogle-glog-dev"}};

/// What comes with Python packages, compilers, toolkits or CMake itself.
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

std::string plain_name(std::string name) {
  name = to_lower(name);
  for (const std::string_view suffix : {"-devel", "-dev"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return name.starts_with("lib") ? name.substr(3) : name;
}

/// Debian's package; empty if it is not known.
std::string debian_package(const std::string& name) {
  const auto* const found = std::ranges::find(kLibraries, plain_name(name), &Library::name);
  return found == kLibraries.end() ? std::string() : std::string(found->package);
}

bool is_library(const std::string& name) {
  const std::string plain = plain_name(name);
  return name.find_first_of("${}") == std::string::npos && !plain.empty() &&
         std::ranges::find(kNoLibraries, plain) == kNoLibraries.end();
}

struct Wanted {
  std::vector<std::string> names;
  const char* file;
  /// Whether names that are not known here are libraries of the system: a package of CMake may be
  /// the project's own.
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
    const std::string package = debian_package(name);
    const bool of_debian = name.ends_with("-dev");
    if (!package.empty() || of_debian) {
      known.insert(package.empty() ? name : package);
    } else {
      unknown.push_back(name);
    }
  }
  std::string line;
  if (!known.empty()) {
    line = fmt::format("`apt-get install {}`", join({known.begin(), known.end()}, " "));
  }
  if (unknown.empty()) return line;
  return fmt::format("{}{}find the package of {} by `apt-cache search`", line,
                     line.empty() ? "" : ", and ", quoted_list(unknown));
}

namespace {

/// The names that are libraries of the system, each once however it is spelled.
std::vector<std::string> libraries_among(const Wanted& place, std::vector<std::string> names) {
  for (const std::string& name : place.names) {
    const bool known = is_library(name) && (place.all || !debian_package(name).empty());
    const bool again = std::ranges::any_of(names, [&name](const std::string& other) {
      const std::string package = debian_package(name);
      return plain_name(other) == plain_name(name) ||
             (!package.empty() && package == debian_package(other));
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
  }
  if (facts.meson) places.push_back({facts.meson->dependencies, "meson.build", true});
  if (facts.setup_py) places.push_back({facts.setup_py->libraries, "setup.py", false});
  const bool rust = backend(facts) == project::Backend::maturin ||
                    !requirements_on(build_requires(facts), "setuptools-rust").empty();
  for (const project::CargoManifest& manifest : facts.cargo) {
    if (!rust) break;
    places.push_back({manifest.system_libraries, "Cargo.toml", false});
  }
  return places;
}

}  // namespace

std::vector<LeftOut> system_libraries(const ProjectFacts& facts) {
  std::map<std::string, std::vector<std::string>> by_file;
  for (const Wanted& place : wanted_by(facts)) {
    std::vector<std::string>& names = by_file[place.file];
    names = libraries_among(place, std::move(names));
  }
  std::vector<LeftOut> found;
  for (const auto& [file, names] : by_file) {
    if (names.empty()) continue;
    found.push_back({fmt::format("libraries of the system: {} ({})", quoted_list(names), file),
                     "if the build needs them: " + apt_line(names)});
  }
  return found;
}

}  // namespace pinwheel::init
