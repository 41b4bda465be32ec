#include "matrix/config_error.h"

#include <utility>

#include "base/visible_text.h"

namespace pinwheel::matrix {

Error config_error(std::string_view message, Location at, std::string hint) {
  return {ErrorKind::config, visible(message), std::move(at), std::move(hint), {}};
}

}  // namespace pinwheel::matrix
