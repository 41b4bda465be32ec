#include "env/missing_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace pinwheel::env {
namespace {

/// The text after `before`, up to `end`; empty if there is none.
std::string_view between(std::string_view text, std::string_view before, std::string_view end) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find(end));
}

/// setuptools: "error: command 'gcc' failed: No such file or directory", once "not found".
std::string_view setuptools_program(std::string_view output) {
  constexpr std::string_view kCommand = "error: command '";
  for (size_t at = output.find(kCommand); at != std::string_view::npos;
       at = output.find(kCommand, at + 1)) {
    const std::string_view line = output.substr(at, output.find('\n', at) - at);
    const bool missing = line.find("No such file or directory") != std::string_view::npos ||
                         line.find("' not found") != std::string_view::npos;
    if (missing) return between(line, kCommand, "'");
  }
  return {};
}

/// Newer setuptools: "error: [Errno 2] No such file or directory: 'gcc'", after the command itself.
std::string_view started_program(std::string_view output) {
  const std::string_view name =
      between(output, "error: [Errno 2] No such file or directory: '", "'");
  if (name.empty()) return {};
  for (const std::string& line : split(output, '\n')) {
    if (trim(line).starts_with(std::string(name) + " -")) return name;
  }
  return {};
}

/// CMake: the compiler of a language, or the one that a variable names on a later line.
std::string cmake_program(std::string_view output) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kUsual = {
      {{"CXX", "g++"}, {"C", "gcc"}, {"Fortran", "gfortran"}, {"CUDA", "nvcc"}}};
  for (const auto& [language, program] : kUsual) {
    const std::string none = fmt::format("No CMAKE_{}_COMPILER could be found", language);
    if (output.find(none) != std::string_view::npos) return std::string(program);
  }
  constexpr std::string_view kNamed =
      "Could not find the compiler specified in the environment variable ";
  const size_t at = output.find(kNamed);
  if (at == std::string_view::npos) return {};
  for (const std::string& line : split(output.substr(output.find('\n', at)), '\n')) {
    std::string_view name = trim(line);
    if (name.ends_with('.')) name.remove_suffix(1);
    if (!name.empty()) return std::string(name);
  }
  return {};
}

/// The messages of tools that build Rust.
constexpr std::array<std::string_view, 4> kNoRust = {
    "can't find Rust compiler", "Do you have cargo in your PATH?",
    "Cargo, the Rust package manager, is not installed", "No module named 'puccinialin'"};

bool lacks_rust(std::string_view output) {
  return std::any_of(kNoRust.begin(), kNoRust.end(), [output](std::string_view text) {
    return output.find(text) != std::string_view::npos;
  });
}

std::string program_in(std::string_view output) {
  if (const std::string_view name = setuptools_program(output); !name.empty()) {
    return std::string(name);
  }
  if (const std::string_view name = started_program(output); !name.empty()) {
    return std::string(name);
  }
  if (std::string name = cmake_program(output); !name.empty()) return name;
  if (const std::string_view name = between(output, "ERROR: Unknown compiler(s): [['", "'");
      !name.empty()) {
    return std::string(name);
  }
  return lacks_rust(output) ? "cargo" : "";
}

/// Debian's package of a program; empty if it is not a known compiler.
std::string_view package_of(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  const auto has = [name](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  };
  if (has("cargo") || has("rustc")) return "cargo";
  if (has("gfortran")) return "gfortran";
  if (has("clang")) return "clang";
  if (has("g++") || has("c++")) return "g++";
  return has("gcc") || name == "cc" || name == "c89" || name == "c99" ? "gcc" : "";
}

std::string advice(std::string_view program) {
  if (program.find("nvcc") != std::string_view::npos) {
    return std::string(kCudaToolkit);
  }
  const std::string_view package = package_of(program);
  if (package.empty())
    return "install it; `pinwheel doctor` lists the builds that this machine can run";
  return fmt::format(
      "install it, on Debian with {}; `pinwheel doctor` shows what this machine can build",
      quoted(fmt::format("apt-get install {}", package)));
}

}  // namespace

std::optional<Diagnosis> missing_compiler(std::string_view output) {
  const std::string program = program_in(output);
  if (program.empty()) return std::nullopt;
  return Diagnosis{ErrorKind::environment, fmt::format("there is no compiler {}", quoted(program)),
                   advice(program)};
}

}  // namespace pinwheel::env
