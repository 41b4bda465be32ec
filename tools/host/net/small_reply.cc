#include "host/net/small_reply.h"

#include <utility>

namespace pinwheel::host {

Result<ports::HttpResponse> small_reply(ports::Http& http, const ports::HttpRequest& request) {
  auto response = http.send(request);
  if (response) return *std::move(response);
  Error error = std::move(response).error().error;
  if (error.kind == ErrorKind::check) error.kind = ErrorKind::publish;
  return fail(std::move(error));
}

}  // namespace pinwheel::host
