#include "host/net/counted_http.h"

#include <string_view>

namespace pinwheel::host {

tl::expected<ports::HttpResponse, ports::HttpFailure> CountedHttp::send(
    const ports::HttpRequest& request) {
  if (!received_) return http_.send(request);
  uint64_t received = 0;
  tl::expected<ports::HttpResponse, ports::HttpFailure> response;
  if (request.sink) {
    ports::HttpRequest counted = request;
    counted.sink = [&](std::string_view bytes) {
      received += bytes.size();
      request.sink(bytes);
    };
    response = http_.send(counted);
  } else {
    response = http_.send(request);
  }
  if (response) received += response->body.size();
  if (received > 0) received_(received);
  return response;
}

}  // namespace pinwheel::host
