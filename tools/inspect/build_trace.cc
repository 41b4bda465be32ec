#include "inspect/build_trace.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace pinwheel::inspect {
namespace {

/// Flags that compile for the machine at hand: of C compilers, Intel's, nvcc and rustc.
constexpr std::array<std::string_view, 6> kMachineFlags = {
    "-march=native", "-mcpu=native", "-xHost", "-xhost", "-arch=native", "target-cpu=native"};

/// The lines in which CMake, Meson and Cargo report the compiler they run.
constexpr std::array<std::string_view, 13> kPhrases = {"Building C object",
                                                       "Building CXX object",
                                                       "Building CUDA object",
                                                       "Building HIP object",
                                                       "Building ASM",
                                                       "Building Fortran",
                                                       "Linking C",
                                                       "Compiling C object",
                                                       "Compiling C++",
                                                       "Compiling Cuda object",
                                                       "Compiling Fortran",
                                                       "Linking target",
                                                       "Finished `release`"};

constexpr std::array<std::string_view, 14> kCompilers = {
    "cc",    "gcc",      "g++",   "c++", "clang", "clang++", "nvcc",
    "hipcc", "gfortran", "rustc", "ld",  "icx",   "icpx",    "nvc++"};

bool is_version(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// Whether the word is the path of a compiler: "/usr/bin/x86_64-linux-gnu-g++-12".
bool is_compiler(std::string_view word) {
  std::string_view name = last_part(word);
  size_t dash = name.rfind('-');
  if (dash != std::string_view::npos && is_version(name.substr(dash + 1))) {
    name = name.substr(0, dash);
    dash = name.rfind('-');
  }
  if (dash != std::string_view::npos) name = name.substr(dash + 1);
  return std::find(kCompilers.begin(), kCompilers.end(), name) != kCompilers.end();
}

bool makes_code(std::string_view word) {
  return word == "-c" || word == "-o" || word == "-shared" || word == "-dlink";
}

bool runs_compiler(std::string_view line) {
  const auto says = [line](std::string_view phrase) {
    return line.find(phrase) != std::string_view::npos;
  };
  if (std::any_of(kPhrases.begin(), kPhrases.end(), says)) return true;
  const std::string_view trimmed = trim(line);
  if (trimmed.starts_with("Compiling ") && trimmed.find(" v") != std::string_view::npos) {
    return true;  // a crate
  }
  const std::vector<std::string> words = split(trimmed, ' ');
  return std::any_of(words.begin(), words.end(), is_compiler) &&
         std::any_of(words.begin(), words.end(), makes_code);
}

/// Whether the line contains the flag as a word, or as a part of one: `-Xcompiler=-march=native`.
bool has_flag(std::string_view line, std::string_view flag) {
  constexpr std::string_view kInside =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (size_t at = line.find(flag); at != std::string_view::npos; at = line.find(flag, at + 1)) {
    const size_t end = at + flag.size();
    const bool ends = end == line.size() || kInside.find(line[end]) == std::string_view::npos;
    const bool begins = at == 0 || flag.front() != '-' || line[at - 1] != '-';
    if (ends && begins) return true;
  }
  return false;
}

void add_flags(std::string_view line, BuildTrace& trace) {
  std::vector<std::string>& flags = trace.machine_flags;
  for (const std::string_view flag : kMachineFlags) {
    const bool known = std::find(flags.begin(), flags.end(), flag) != flags.end();
    if (!known && has_flag(line, flag)) flags.emplace_back(flag);
  }
}

}  // namespace

BuildTrace build_trace(std::string_view log, const std::vector<std::string>& commands) {
  BuildTrace trace;
  bool extensions = false;
  bool wheels = false;
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = log.substr(at, end - at);
    at = end + 1;
    extensions = extensions || trim(line) == "running build_ext";
    wheels = wheels || (line.find("://") != std::string_view::npos &&
                        line.find(".whl") != std::string_view::npos);
    if (!runs_compiler(line)) continue;
    trace.compiled = true;
    add_flags(line, trace);
  }
  // Some backends silence distutils after that line. A script that downloads a
  // finished wheel names its address.
  trace.compiled = trace.compiled || (extensions && !wheels);
  for (const std::string& text : commands) add_flags(text, trace);
  return trace;
}

}  // namespace pinwheel::inspect
