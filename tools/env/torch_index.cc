#include "env/torch_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "pep/name.h"
#include "pep/requirement.h"

namespace pinwheel::env {
namespace {

constexpr std::array<std::string_view, 4> kPlaces = {"index-url", "extra-index-url", "find-links",
                                                     "no-index"};

/// The variable of a setting: "PIP_TRUSTED_HOST" of "trusted-host".
std::string variable_of(std::string_view setting) {
  std::string name = "PIP_";
  for (const char c : setting) {
    const bool lower = c >= 'a' && c <= 'z';
    name += c == '-' ? '_' : static_cast<char>(lower ? c - 'a' + 'A' : c);
  }
  return name;
}

/// The text of a Python string literal.
std::string literal_text(std::string_view literal) {
  if (literal.size() < 2) return {};
  literal = literal.substr(1, literal.size() - 2);
  std::string text;
  for (size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      text += literal[i];
      continue;
    }
    const char next = literal[++i];
    text += next == 'n' ? '\n' : next == 't' ? '\t' : next;
  }
  return text;
}

/// Whether the version of a package is that of the CUDA for which torch was built:
/// `cuda-toolkit`, `nvidia-cuda-runtime`, `nvidia-cuda-runtime-cu12`.
bool has_version_of_cuda(std::string_view name) {
  return name == "cuda-toolkit" || name == "nvidia-cuda-runtime" ||
         name.starts_with("nvidia-cuda-runtime-cu");
}

/// "cu130" of `==13.0.96`; empty for a requirement that pins nothing.
std::string pinned_cuda(const pep::Requirement& requirement) {
  for (const pep::Specifier& each : requirement.specifiers) {
    const std::vector<uint64_t>& release = each.version.release;
    if (each.comparison != pep::Comparison::equal || release.size() < 2) continue;
    return fmt::format("cu{}{}", release[0], release[1]);
  }
  return {};
}

std::string local_version(const std::string& version) {
  const size_t plus = version.find('+');
  return plus == std::string::npos ? std::string() : version.substr(plus + 1);
}

}  // namespace

Variables without_indexes(Variables variables, std::string_view configuration) {
  const auto is_place = [](std::string_view setting) {
    return std::find(kPlaces.begin(), kPlaces.end(), setting) != kPlaces.end();
  };
  // A command's section takes precedence over the global one, and a variable over both.
  for (const std::string_view section : {"install.", "global."}) {
    for (const std::string& line : split(configuration, '\n')) {
      const size_t equals = line.find('=');
      if (equals == std::string::npos || !line.starts_with(section)) continue;
      const std::string setting = line.substr(section.size(), equals - section.size());
      const std::string value = literal_text(trim(std::string_view(line).substr(equals + 1)));
      if (!is_place(setting)) variables.emplace(variable_of(setting), value);
    }
  }
  for (const std::string_view place : kPlaces) variables.erase(variable_of(place));
  variables["PIP_CONFIG_FILE"] = "/dev/null";
  return variables;
}

std::string label_of_index(std::string_view index) {
  std::string_view path = index.substr(0, index.find_first_of("?#"));
  path = without_trailing_slashes(path);
  const std::string_view label = path.substr(path.rfind('/') + 1);
  return matrix::compute_of_label(label) ? std::string(label) : std::string();
}

std::string label_of_torch(const PipPackage& torch, const std::vector<std::string>& requires_dist) {
  if (std::string local = local_version(torch.version); !local.empty()) return local;
  for (const std::string& text : requires_dist) {
    const Result<pep::Requirement> requirement = pep::parse_requirement(text);
    if (!requirement || !has_version_of_cuda(pep::normalize_name(requirement->name))) continue;
    if (std::string label = pinned_cuda(*requirement); !label.empty()) return label;
  }
  return {};
}

std::string label_of_torch(const Resolution& resolution) {
  const PipPackage* const torch = resolution.find("torch");
  if (torch == nullptr) return {};
  std::vector<std::string> others;
  for (const auto* const list : {&resolution.packages, &resolution.absent}) {
    for (const PipPackage& package : *list) others.push_back(package.name + "==" + package.version);
  }
  return label_of_torch(*torch, others);
}

bool is_build_of(std::string_view index, std::string_view torch_label) {
  const std::string label = label_of_index(index);
  // "cu126.with.pypi.cudnn" is a build for "cu126".
  return !label.empty() && (torch_label == label || torch_label.starts_with(label + "."));
}

}  // namespace pinwheel::env
