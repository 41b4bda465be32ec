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

}  // namespace pinwheel::env
