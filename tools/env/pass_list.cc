#include "env/pass_list.h"

#include <algorithm>
#include <array>

namespace pinwheel::env {
namespace {

constexpr std::array<std::string_view, 12> kNetwork = {
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "http_proxy",    "https_proxy",  "no_proxy",           "all_proxy",
    "HTTP_PROXY",    "HTTPS_PROXY",  "NO_PROXY",           "ALL_PROXY"};

constexpr std::array<std::string_view, 14> kPinwheels = {"PIP_USER",
                                                         "PIP_TARGET",
                                                         "PIP_PREFIX",
                                                         "PIP_ROOT",
                                                         "PIP_PYTHON",
                                                         "PIP_DRY_RUN",
                                                         "PIP_REPORT",
                                                         "PIP_NO_DEPS",
                                                         "PIP_REQUIREMENT",
                                                         "PIP_EDITABLE",
                                                         "PIP_REQUIRE_VIRTUALENV",
                                                         "PIP_UPGRADE",
                                                         "PIP_LOG",
                                                         "PIP_FORCE_REINSTALL"};

/// These affect caches, speed and the network, never the result.
constexpr std::array<std::string_view, 3> kOfBuilds = {"NVCC_THREADS", "CUDA_VISIBLE_DEVICES",
                                                       "HIP_VISIBLE_DEVICES"};
constexpr std::array<std::string_view, 2> kPrefixesOfBuilds = {"CCACHE_", "SCCACHE_"};

/// For every helper program that pinwheel runs.
constexpr std::array<std::string_view, 5> kOfAll = {"PATH", "HOME", "TMPDIR", "LANG", "LANGUAGE"};
constexpr std::array<std::string_view, 2> kPrefixesOfAll = {"LC_", "XDG_"};

/// A name, or the prefix of names if it ends with `_`, and the programs that it configures.
struct OfHelper {
  Helper helper;
  std::string_view name;
};
constexpr std::array kOfHelpers = {OfHelper{Helper::compiler, "CC"},
                                   OfHelper{Helper::compiler, "CXX"},
                                   OfHelper{Helper::compiler, "CUDAHOSTCXX"},
                                   OfHelper{Helper::compiler, "CUDA_HOME"},
                                   OfHelper{Helper::compiler, "CUDA_PATH"},
                                   OfHelper{Helper::compiler, "ROCM_PATH"},
                                   OfHelper{Helper::compiler, "LD_LIBRARY_PATH"},
                                   OfHelper{Helper::compiler, "RUSTUP_HOME"},
                                   OfHelper{Helper::compiler, "CARGO_HOME"},
                                   OfHelper{Helper::compiler, "NVCC_THREADS"},
                                   OfHelper{Helper::compiler, "CUDA_VISIBLE_DEVICES"},
                                   OfHelper{Helper::compiler, "HIP_VISIBLE_DEVICES"},
                                   OfHelper{Helper::compiler, "CCACHE_"},
                                   OfHelper{Helper::compiler, "SCCACHE_"},
                                   OfHelper{Helper::python, "PIP_"},
                                   OfHelper{Helper::python, "PYENV_"},
                                   OfHelper{Helper::python, "UV_PYTHON_"},
                                   OfHelper{Helper::python, "NETRC"},
                                   OfHelper{Helper::conda, "NETRC"},
                                   OfHelper{Helper::conda, "CONDA_"},
                                   OfHelper{Helper::conda, "CONDARC"},
                                   OfHelper{Helper::conda, "MAMBA_"},
                                   OfHelper{Helper::conda, "MAMBARC"},
                                   OfHelper{Helper::conda, "RATTLER_AUTH_FILE"},
                                   OfHelper{Helper::conda, "PINWHEEL_CONDA"},
                                   OfHelper{Helper::container, "DOCKER_"},
                                   OfHelper{Helper::container, "CONTAINER_"},
                                   OfHelper{Helper::container, "CONTAINERS_"},
                                   OfHelper{Helper::container, "REGISTRY_AUTH_FILE"},
                                   OfHelper{Helper::git, "GIT_"},
                                   OfHelper{Helper::git, "SSH_AUTH_SOCK"}};

bool is_named(const OfHelper& each, std::string_view name) {
  return each.name.ends_with('_') ? name.starts_with(each.name) : name == each.name;
}

/// The words by which the names of programs are recognized.
struct NamedHelper {
  Helper helper;
  std::string_view word;
};
constexpr std::array kPrograms = {
    NamedHelper{Helper::compiler, "nvcc"},      NamedHelper{Helper::compiler, "hipcc"},
    NamedHelper{Helper::compiler, "hipconfig"}, NamedHelper{Helper::compiler, "nvidia-smi"},
    NamedHelper{Helper::compiler, "rocminfo"},  NamedHelper{Helper::compiler, "c++"},
    NamedHelper{Helper::compiler, "cc"},        NamedHelper{Helper::compiler, "gcc"},
    NamedHelper{Helper::compiler, "g++"},       NamedHelper{Helper::compiler, "clang"},
    NamedHelper{Helper::compiler, "clang++"},   NamedHelper{Helper::compiler, "ccache"},
    NamedHelper{Helper::compiler, "sccache"},   NamedHelper{Helper::compiler, "rustc"},
    NamedHelper{Helper::compiler, "cargo"},     NamedHelper{Helper::python, "python"},
    NamedHelper{Helper::python, "python3"},     NamedHelper{Helper::python, "pip"},
    NamedHelper{Helper::conda, "conda"},        NamedHelper{Helper::conda, "mamba"},
    NamedHelper{Helper::conda, "micromamba"},   NamedHelper{Helper::container, "docker"},
    NamedHelper{Helper::container, "podman"},   NamedHelper{Helper::git, "git"}};

/// "g++" for "/usr/bin/x86_64-linux-gnu-g++-12", "python3" for "python3.11".
std::string_view name_of_program(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  program = program.substr(0, program.find('.'));
  const size_t last = program.find_last_not_of("0123456789-");
  const bool versioned =
      last != std::string_view::npos && last + 1 < program.size() && program[last + 1] == '-';
  if (versioned) program = program.substr(0, last + 1);
  const size_t system = program.find("-gnu-");
  if (system != std::string_view::npos) program.remove_prefix(system + 5);
  return program;
}

template <size_t n>
bool begins_with_one(const std::array<std::string_view, n>& prefixes, std::string_view name) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

template <size_t n>
bool among(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_network_variable(std::string_view name) {
  return among(kNetwork, name);
}

bool is_pip_setting(std::string_view name) {
  return name.starts_with("PIP_") && !among(kPinwheels, name);
}

bool passes_to_builds(std::string_view name) {
  return is_network_variable(name) || is_pip_setting(name) || among(kOfBuilds, name) ||
         begins_with_one(kPrefixesOfBuilds, name);
}

std::map<std::string, std::string> helper_variables(
    const std::map<std::string, std::string>& user) {
  std::map<std::string, std::string> variables = user;
  std::erase_if(variables, [](const auto& variable) {
    const std::string& name = variable.first;
    const bool helps = std::any_of(kOfHelpers.begin(), kOfHelpers.end(),
                                   [&name](const OfHelper& each) { return is_named(each, name); });
    return !helps && !among(kOfAll, name) && !begins_with_one(kPrefixesOfAll, name) &&
           !passes_to_builds(name);
  });
  return variables;
}

Helper helper_of(std::string_view program) {
  const std::string_view name = name_of_program(program);
  const auto* const found =
      std::find_if(kPrograms.begin(), kPrograms.end(),
                   [name](const NamedHelper& each) { return each.word == name; });
  return found == kPrograms.end() ? Helper::system : found->helper;
}

std::map<std::string, std::string> variables_for(Helper helper,
                                                 std::map<std::string, std::string> variables) {
  std::erase_if(variables, [helper](const auto& variable) {
    bool others = false;
    for (const OfHelper& each : kOfHelpers) {
      if (!is_named(each, variable.first)) continue;
      if (each.helper == helper) return false;
      others = true;
    }
    return others;
  });
  return variables;
}

}  // namespace pinwheel::env
