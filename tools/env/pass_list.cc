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

constexpr std::array<std::string_view, 21> kOfHelpers = {"PATH",
                                                         "HOME",
                                                         "TMPDIR",
                                                         "LANG",
                                                         "LANGUAGE",
                                                         "CUDA_HOME",
                                                         "CUDA_PATH",
                                                         "ROCM_PATH",
                                                         "LD_LIBRARY_PATH",
                                                         "NETRC",
                                                         "CC",
                                                         "CXX",
                                                         "CUDAHOSTCXX",
                                                         "SSH_AUTH_SOCK",
                                                         "PINWHEEL_CONDA",
                                                         "CONDARC",
                                                         "MAMBARC",
                                                         "RATTLER_AUTH_FILE",
                                                         "RUSTUP_HOME",
                                                         "CARGO_HOME",
                                                         "REGISTRY_AUTH_FILE"};
constexpr std::array<std::string_view, 11> kPrefixesOfHelpers = {
    "LC_",    "XDG_",   "PIP_", "DOCKER_", "CONTAINER_", "CONTAINERS_",
    "CONDA_", "MAMBA_", "GIT_", "PYENV_",  "UV_PYTHON_"};

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
    return !among(kOfHelpers, name) && !begins_with_one(kPrefixesOfHelpers, name) &&
           !passes_to_builds(name);
  });
  return variables;
}

}  // namespace pinwheel::env
