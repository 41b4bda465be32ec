#include "env/toolkit.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/text.h"
#include "matrix/axis_value.h"

namespace pinwheel::env {
namespace {

/// The digits and dots after `mark`.
std::optional<std::string> number_after(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + mark.size());
  std::string number(text.substr(0, text.find_first_not_of("0123456789.")));
  if (number.empty()) return std::nullopt;
  return number;
}

int to_int(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct Row {
  std::string_view cuda;
  CompilerRange range;
};
// CUDA Installation Guide for Linux, "Host Compiler Support Policy", x86_64.
constexpr std::array kRows = {
    Row{"13.3", {6, 15, 21}}, Row{"13.2", {6, 15, 21}}, Row{"13.1", {6, 15, 21}},
    Row{"13.0", {6, 15, 20}}, Row{"12.9", {6, 14, 19}}, Row{"12.8", {6, 14, 19}},
    Row{"12.6", {6, 13, 18}}, Row{"12.5", {6, 13, 17}}, Row{"12.4", {6, 13, 17}},
    Row{"12.3", {6, 12, 16}}, Row{"12.2", {6, 12, 15}}, Row{"12.1", {6, 12, 15}},
    Row{"12.0", {6, 12, 14}}, Row{"11.8", {6, 11, 14}}, Row{"11.7", {6, 11, 13}},
};

std::string in_words(const CompilerRange& range) {
  std::string text;
  if (range.gcc_max != 0) {
    text = fmt::format("gcc {} to {}", range.gcc_min, range.gcc_max);
  }
  if (range.clang_max != 0)
    text += fmt::format("{}clang to {}", text.empty() ? "" : ", ", range.clang_max);
  return text;
}

}  // namespace

std::optional<std::string> parse_nvcc_release(std::string_view output) {
  if (output.find("Cuda compilation tools") == std::string_view::npos) return std::nullopt;
  const std::optional<std::string> release = number_after(output, ", V");
  return release ? release : number_after(output, ", release ");
}

std::optional<std::string> parse_hip_release(std::string_view output) {
  return number_after(output, "HIP version: ");
}

std::string major_minor(std::string_view release) {
  return matrix::leading(2, release);
}

bool has_toolkit(const std::string& compute) {
  return compute.starts_with("cuda/") || compute.starts_with("rocm/");
}

std::string toolkit_name(const std::string& compute) {
  const matrix::Compute parts = matrix::split_compute(compute);
  if (parts.version.empty()) return parts.family;
  return parts.family + "/" + matrix::leading(2, parts.version);
}

Toolkit cuda_toolkit(const std::string& prefix, const std::string& release) {
  Toolkit toolkit{"cuda/" + major_minor(release), prefix, prefix + "/bin/nvcc", release};
  // The linker needs the library directories: PyPI's prefix has lib/, and nvcc only looks for
  // lib64/.
  toolkit.variables = {{"CUDA_HOME", prefix},
                       {"CUDA_PATH", prefix},
                       {"CUDACXX", toolkit.compiler},
                       {"LIBRARY_PATH", prefix + "/lib64:" + prefix + "/lib"},
                       {"PATH", prefix + "/bin"}};
  return toolkit;
}

Toolkit rocm_toolkit(const std::string& prefix, const std::string& hipcc,
                     const std::string& release) {
  Toolkit toolkit{"rocm/" + major_minor(release), prefix, hipcc, release};
  // Without HIP_PLATFORM, hipcc becomes a wrapper of nvcc if that is on PATH.
  toolkit.variables = {{"HIP_PLATFORM", "amd"}, {"PATH", hipcc.substr(0, hipcc.rfind('/'))}};
  // A distribution's clang finds its parts in /usr on its own; with a prefix set, it expects the
  // layout of AMD's own packages.
  if (prefix != "/usr") toolkit.variables["ROCM_PATH"] = prefix;
  return toolkit;
}

std::vector<std::string> include_directories(const Toolkit& toolkit, const std::string& machine) {
  return {toolkit.prefix + "/include",
          fmt::format("{}/targets/{}-linux/include", toolkit.prefix, machine)};
}

HostCompiler parse_host_compiler(const std::string& path, std::string_view output) {
  HostCompiler compiler{.path = path};
  const std::string_view line = output.substr(0, output.find('\n'));
  if (const auto clang = number_after(line, "clang version ")) {
    compiler.family = CompilerFamily::clang;
    compiler.version = *clang;
  } else if (output.find("Free Software Foundation") != std::string_view::npos) {
    compiler.family = CompilerFamily::gcc;
    // "g++ (Debian 12.2.0-14+deb12u1) 12.2.0": the number after the last parenthesis.
    const size_t at = line.rfind(") ");
    compiler.version =
        at == std::string_view::npos ? "" : number_after(line.substr(at), ") ").value_or("");
  }
  compiler.major = to_int(compiler.version);
  return compiler;
}

CompilerRange supported_compilers(const std::string& cuda_version, std::string_view host_config) {
  CompilerRange range;
  for (const Row& row : kRows) {
    if (row.cuda == major_minor(cuda_version)) range = row.range;
  }
  if (const auto above = number_after(host_config, "#if __GNUC__ > ")) {
    range.gcc_max = to_int(*above);
    if (range.gcc_min == 0) range.gcc_min = 6;
  }
  if (const auto from = number_after(host_config, "#if (__clang_major__ >= ")) {
    range.clang_max = to_int(*from) - 1;
  }
  return range;
}

Result<void> check_compiler(const HostCompiler& compiler, const CompilerRange& range,
                            const std::string& toolkit) {
  const bool gcc = compiler.family == CompilerFamily::gcc && range.gcc_max != 0 &&
                   (compiler.major > range.gcc_max || compiler.major < range.gcc_min);
  const bool clang = compiler.family == CompilerFamily::clang && range.clang_max != 0 &&
                     compiler.major > range.clang_max;
  if (!gcc && !clang) return {};
  const std::string newest = fmt::format("g++-{}", range.gcc_max);
  return fail(
      ErrorKind::environment,
      fmt::format("{} ({} {}) is not supported by {}, which supports {}", quoted(compiler.path),
                  gcc ? "gcc" : "clang", compiler.version, toolkit, in_words(range)),
      fmt::format("install one and set it: {}, then {} and {}", quoted("apt-get install " + newest),
                  quoted("CXX=" + newest), quoted("CUDAHOSTCXX=" + newest)));
}

}  // namespace pinwheel::env
