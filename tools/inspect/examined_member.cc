#include "inspect/examined_member.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "inspect/python_import.h"

namespace pinwheel::inspect {
namespace {

/// Suffixes of files that no loader reads; sorted.
constexpr std::array<std::string_view, 94> kOtherSuffixes = {
    "a",      "asm",   "bat",  "bib",         "bmp",   "bz2",  "c",    "cc",      "cfg",      "cjs",
    "cl",     "cmake", "conf", "cpp",         "csh",   "css",  "csv",  "cu",      "cuh",      "cxx",
    "def",    "dtd",   "eot",  "f90",         "fish",  "flac", "gif",  "gz",      "h",        "h5",
    "hh",     "hip",   "hpp",  "htm",         "html",  "hxx",  "ico",  "in",      "inc",      "ini",
    "inl",    "ipynb", "j2",   "jinja",       "jpeg",  "jpg",  "js",   "json",    "lock",     "map",
    "md",     "mjs",   "mo",   "mp3",         "npy",   "npz",  "onnx", "parquet", "pc",       "pdf",
    "pickle", "pkl",   "png",  "po",          "proto", "ps1",  "pt",   "pxd",     "pxi",      "pyc",
    "pyi",    "pyx",   "rst",  "safetensors", "scss",  "sh",   "svg",  "tar",     "template", "tex",
    "toml",   "tsv",   "ttf",  "txt",         "typed", "wav",  "whl",  "woff",    "woff2",    "xml",
    "xz",     "yaml",  "zip",  "zst"};
static_assert(std::is_sorted(kOtherSuffixes.begin(), kOtherSuffixes.end()));

/// Names of files that have no suffix.
constexpr std::array<std::string_view, 6> kOtherNames = {"AUTHORS", "COPYING",  "INSTALLER",
                                                         "LICENSE", "Makefile", "NOTICE"};

/// Whether a file of a dist-info directory is one that rules read.
bool is_read_text(std::string_view name) {
  constexpr std::array<std::string_view, 5> kTexts = {"METADATA", "RECORD", "WHEEL",
                                                      "pinwheel.json", "variant.json"};
  return std::count(name.begin(), name.end(), '/') == 1 &&
         std::find(kTexts.begin(), kTexts.end(), last_part(name)) != kTexts.end();
}

}  // namespace

bool is_examined(std::string_view name, ReadModules modules) {
  const std::string_view directory = name.substr(0, name.find('/'));
  if (directory.ends_with(".dist-info")) return is_read_text(name);
  if (name.ends_with(".py")) return modules == ReadModules::all || is_top_module(name);
  if (name.ends_with(".pth")) return is_path_file(name);
  const std::string file(last_part(name));
  if (std::find(kOtherNames.begin(), kOtherNames.end(), file) != kOtherNames.end()) return false;
  const size_t dot = file.rfind('.');
  if (dot == std::string::npos || dot == 0) return true;
  return !std::binary_search(kOtherSuffixes.begin(), kOtherSuffixes.end(),
                             std::string_view(to_lower(file.substr(dot + 1))));
}

}  // namespace pinwheel::inspect
