#include "env/request.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"

namespace pinwheel::env {

std::string digest(const Request& request) {
  const nlohmann::json json = {{"python", request.python},
                               {"requirements", request.requirements},
                               {"torch", request.torch.spec},
                               {"torch_index", request.torch.index}};
  // A text that is no UTF-8 must not throw: it is replaced, and pip refuses it later with a reason.
  return sha256_hex(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace pinwheel::env
