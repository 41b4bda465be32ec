#include "matrix/config_error.h"

#include <utility>

namespace pinwheel::matrix {

Error config_error(std::string message, Location at, std::string hint) {
  return {ErrorKind::config, std::move(message), std::move(at), std::move(hint), {}};
}

}  // namespace pinwheel::matrix
