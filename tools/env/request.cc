#include "env/request.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "env/container_image.h"

namespace pinwheel::env {

std::string digest(const Request& request) {
  nlohmann::json json = {{"python", request.python},
                         {"requirements", request.requirements},
                         {"torch", request.torch.spec},
                         {"torch_index", request.torch.index}};
  if (!request.container.base.empty()) json["container"] = digest(request.container);
  if (!request.conda.packages.empty()) {
    json["conda"] = {request.conda.channels, request.conda.packages};
    if (!request.conda_cuda.empty()) json["conda-cuda"] = request.conda_cuda;
  }
  // Text that is not UTF-8 must not throw: it is replaced, and pip rejects it later with a reason.
  return sha256_hex(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string toolkit_digest(const Request& request) {
  nlohmann::json json = {request.toolkit, static_cast<int>(request.toolkit_from),
                         request.toolkit_conda.channels, request.toolkit_conda.packages};
  if (!request.container.base.empty()) json.push_back(digest(request.container));
  return sha256_hex(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace pinwheel::env
