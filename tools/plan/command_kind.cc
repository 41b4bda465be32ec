#include "plan/command_kind.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/text.h"
#include "base/utf8.h"

namespace pinwheel::plan {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 5> kLaunchers = {"ccache", "sccache", "distcc", "icecc",
                                                        "buildcache"};
constexpr std::array<std::string_view, 20> kCompilers = {
    "gcc",        "g++",      "cc",        "c++",   "clang", "clang++", "amdclang",
    "amdclang++", "gfortran", "flang",     "icx",   "icpx",  "icc",     "icpc",
    "nvc",        "nvc++",    "nvfortran", "hipcc", "nvcc",  "zig"};
constexpr std::array<std::string_view, 5> kLinkers = {"ld", "lld", "mold", "nvlink", "collect2"};
constexpr std::array<std::string_view, 4> kNinjas = {"ninja", "samu", "samurai", "ninja_build"};
constexpr std::array<std::string_view, 11> kSources = {"c",   "cc", "cpp", "cxx", "c++", "C",
                                                       "f90", "f",  "s",   "S",   "m"};
constexpr std::array<std::string_view, 3> kDeviceSources = {"cu", "hip", "cuf"};
/// Options that stop before the link.
constexpr std::array<std::string_view, 9> kCompileOnly = {
    "-c", "-S", "--compile", "-dc", "-dw", "--device-c", "-cubin", "-ptx", "-fatbin"};
/// Options that only print, and write no object.
constexpr std::array<std::string_view, 8> kQuestions = {
    "-E", "-M", "-MM", "--version", "-###", "-dumpversion", "-dM", "-dumpmachine"};

bool among_names(Names names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view extension_of(std::string_view path) {
  const std::string_view name = last_part(path);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

/// "g++" for "/usr/bin/x86_64-linux-gnu-g++-12", "ld" for "ld.gold".
std::string_view tool_name(std::string_view program) {
  std::string_view name = last_part(program);
  if (name == "ninja-build") return "ninja";
  const size_t last = name.find_last_not_of("0123456789.");
  if (last != std::string_view::npos && last > 0 && name[last] == '-') name = name.substr(0, last);
  if (name.starts_with("ld.")) return "ld";
  return name.substr(name.rfind('-') + 1);
}

/// What the arguments of a compiler say.
struct CompilerArguments {
  bool compiles = false;
  bool asks = false;
  bool has_source = false;
  bool has_device_source = false;
  bool links_device_code = false;
  std::string_view input = {};
  std::string_view output = {};
};

CompilerArguments read_arguments(std::span<const std::string> arguments) {
  CompilerArguments read;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::string_view next = i + 1 < arguments.size() ? arguments[i + 1] : std::string_view();
    if (argument == "-o" || argument == "--output-file") {
      read.output = next;
      ++i;
    } else if (argument == "-x") {
      read.has_device_source = read.has_device_source || next.starts_with("cu") || next == "hip";
      ++i;
    } else if (among_names(kCompileOnly, argument)) {
      read.compiles = true;
    } else if (among_names(kQuestions, argument) || argument.starts_with("-print-")) {
      read.asks = true;
    } else if (argument == "-dlink" || argument == "--device-link") {
      read.links_device_code = true;
    } else if (!argument.starts_with('-')) {
      const std::string_view extension = extension_of(argument);
      const bool device = among_names(kDeviceSources, extension);
      read.has_device_source = read.has_device_source || device;
      read.has_source = read.has_source || device || among_names(kSources, extension);
      read.input = argument;
    }
  }
  return read;
}

BuildProcessFacts compiler_run(std::span<const std::string> arguments) {
  const CompilerArguments read = read_arguments(arguments);
  const bool makes = read.compiles || !read.output.empty() || read.has_source;
  if (!makes || (read.asks && !read.compiles)) return {BuildProcess::question};
  const bool compiles = (read.compiles || read.has_source) && !read.links_device_code;
  CommandKind kind = CommandKind::link;
  if (compiles) kind = read.has_device_source ? CommandKind::device_compile : CommandKind::compile;
  const std::string_view output = read.output.empty() ? read.input : read.output;
  return {BuildProcess::command, kind, std::string(output)};
}

/// rustc compiles a crate and links it if it is a library for others.
BuildProcessFacts rustc_run(std::span<const std::string> arguments) {
  std::string_view crate;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with("--print")) return {BuildProcess::question};
    if (arguments[i] == "--crate-name" && i + 1 < arguments.size()) crate = arguments[i + 1];
  }
  if (crate.empty() || crate == "___") return {BuildProcess::question};
  return {BuildProcess::command, CommandKind::compile, std::string(crate)};
}

BuildProcessFacts archiver_run(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (argument.ends_with(".a")) return {BuildProcess::command, CommandKind::archive, argument};
  }
  return {BuildProcess::question};
}

BuildProcessFacts linker_run(std::span<const std::string> arguments) {
  const CompilerArguments read = read_arguments(arguments);
  if (read.output.empty()) return {BuildProcess::question};
  return {BuildProcess::command, CommandKind::link, std::string(read.output)};
}

/// `ninja -t`, `-n` and `--version` run no command.
BuildProcessFacts ninja_run(std::span<const std::string> arguments) {
  const bool asks = std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument == "-t" || argument == "-n" || argument == "--version";
  });
  return {asks ? BuildProcess::question : BuildProcess::ninja};
}

}  // namespace

BuildProcessFacts build_process(const std::vector<std::string>& argv) {
  std::span<const std::string> arguments(argv);
  if (arguments.empty()) return {};
  std::string_view name = tool_name(arguments.front());
  if (among_names(kLaunchers, name)) {
    // A launcher without a compiler manages its cache.
    if (arguments.size() < 2 || arguments[1].starts_with('-')) return {BuildProcess::question};
    arguments = arguments.subspan(1);
    name = tool_name(arguments.front());
  }
  const std::span<const std::string> rest = arguments.subspan(1);
  if (among_names(kCompilers, name)) return compiler_run(rest);
  if (among_names(kLinkers, name)) return linker_run(rest);
  if (among_names(kNinjas, name)) return ninja_run(rest);
  if (name == "ar") return archiver_run(rest);
  if (name == "rustc") return rustc_run(rest);
  return {};
}

CommandKind kind_of_output(std::string_view output) {
  const std::string_view name = last_part(output);
  const std::string_view extension = extension_of(name);
  if (extension == "o" || extension == "obj") {
    const std::string_view source =
        extension_of(name.substr(0, name.size() - extension.size() - 1));
    return among_names(kDeviceSources, source) ? CommandKind::device_compile : CommandKind::compile;
  }
  if (extension == "gch" || extension == "pch") return CommandKind::compile;
  if (extension == "cubin" || extension == "fatbin") return CommandKind::device_compile;
  if (extension == "a") return CommandKind::archive;
  const bool shared = extension == "so" || name.find(".so.") != std::string_view::npos;
  return shared ? CommandKind::link : CommandKind::other;
}

CommandKind kind_of_rule(std::string_view rule) {
  // CMake appends the name of the target.
  const std::string text = to_lower(rule.substr(0, rule.find("__")));
  const auto has = [&text](std::string_view word) { return text.find(word) != std::string::npos; };
  if (has("static") && has("link")) return CommandKind::archive;
  if (has("link")) return CommandKind::link;
  if (!has("compile")) return CommandKind::other;
  return text.starts_with("cuda") || text.starts_with("hip") ? CommandKind::device_compile
                                                             : CommandKind::compile;
}

std::string listed_output(std::string_view output) {
  if (output.size() > kMostOutputName) output.remove_prefix(output.size() - kMostOutputName);
  // The cut may be within a character.
  while (!output.empty() && (static_cast<unsigned char>(output.front()) & 0xC0U) == 0x80U) {
    output.remove_prefix(1);
  }
  std::string listed(output);
  if (is_utf8(listed)) return listed;
  std::ranges::replace_if(
      listed, [](char c) { return static_cast<unsigned char>(c) >= 0x80U; }, '?');
  return listed;
}

}  // namespace pinwheel::plan
