#include "env/architectures.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace pinwheel::env {
namespace {

constexpr std::string_view kNvcc = "compute_";
constexpr std::string_view kAmd = "gfx";

bool is_rocm(const Toolkit& toolkit) {
  return toolkit.name.starts_with("rocm/");
}

/// "100" -> "10.0"; in nvcc's numbers the last digit is the minor version.
std::string with_dot(std::string number) {
  if (number.size() > 1) number.insert(number.size() - 1, ".");
  return number;
}

}  // namespace

std::vector<std::string> probe_architecture(const Toolkit& toolkit, const std::string& entry) {
  if (is_rocm(toolkit)) {
    return {toolkit.compiler,
            "--offload-arch=" + entry,
            "--cuda-device-only",
            "-nogpuinc",
            "-x",
            "hip",
            "-c",
            "/dev/null",
            "-o",
            "/dev/null"};
  }
  const std::string number = replace_all(entry.substr(0, entry.find('+')), ".", "");
  return {toolkit.compiler,
          "--dryrun",
          "-gencode",
          "arch=compute_" + number + ",code=sm_" + number,
          "-x",
          "cu",
          "-c",
          "/dev/null"};
}

std::vector<std::string> list_architectures(const Toolkit& toolkit) {
  if (!is_rocm(toolkit)) return {toolkit.compiler, "--list-gpu-arch"};
  return {toolkit.compiler, "--print-supported-cpus", "--target=amdgcn-amd-amdhsa", "-nogpulib"};
}

std::vector<std::string> parse_architectures(std::string_view output) {
  std::string text(output);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; }, ' ');
  std::vector<std::string> names;
  for (const std::string& word : split(text, ' ')) {
    std::string name;
    if (word.starts_with(kNvcc)) name = with_dot(word.substr(kNvcc.size()));
    if (word.starts_with(kAmd)) name = word;
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace pinwheel::env
