#include "env/request.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "container/container_image.h"

namespace pinwheel::env {

namespace {

// Text that is not UTF-8 must not throw: it is replaced, and pip rejects it later with a reason.
std::string digest_of(const nlohmann::json& json) {
  return sha256_hex(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

bool has_packages(const Request& request) {
  return !request.requirements.empty() || !request.torch.spec.empty() ||
         !request.conda.packages.empty();
}

std::string digest(const Request& request) {
  nlohmann::json json = {{"python", request.python},
                         {"requirements", request.requirements},
                         {"torch", request.torch.spec},
                         {"torch_index", request.torch.index}};
  if (!request.container.base.empty()) json["container"] = container::digest(request.container);
  if (!request.conda.packages.empty()) {
    json["conda"] = {request.conda.channels, request.conda.packages};
    if (!request.conda_cuda.empty()) json["conda-cuda"] = request.conda_cuda;
  }
  if (request.purpose == Purpose::test) json["purpose"] = "test";
  return digest_of(json);
}

std::string torch_digest(const Request& request) {
  nlohmann::json json = {
      {"torch-of", request.python}, {"spec", request.torch.spec}, {"index", request.torch.index}};
  if (!request.container.base.empty()) json["container"] = container::digest(request.container);
  return digest_of(json);
}

std::string toolkit_digest(const Request& request) {
  nlohmann::json json = {request.toolkit, static_cast<int>(request.toolkit_from),
                         request.toolkit_conda.channels, request.toolkit_conda.packages};
  if (!request.toolkit_packages.empty()) json.push_back({{"pypi", request.toolkit_packages}});
  if (!request.container.base.empty()) json.push_back(container::digest(request.container));
  return digest_of(json);
}

}  // namespace pinwheel::env
