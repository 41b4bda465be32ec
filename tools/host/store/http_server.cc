#include "host/store/http_server.h"

#include <utility>

#include "publish/reply.h"

namespace pinwheel::host {
namespace {

/// Servers that know ActionResults write Protocol Buffers unless they are asked for JSON.
const char* type_of(const std::string& path) {
  return path.starts_with("ac/") ? "application/json" : "application/octet-stream";
}

}  // namespace

HttpServer::HttpServer(std::shared_ptr<ports::Http> http, HttpServerAccess access)
    : http_(std::move(http)), access_(std::move(access)) {}

ports::HttpRequest HttpServer::request(const std::string& method, const std::string& path) const {
  ports::HttpRequest request;
  request.method = method;
  request.url = access_.url + "/" + path;
  request.credentials = access_.credentials;
  if (!access_.token.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + access_.token.reveal());
  }
  return request;
}

PlaceResult<bool> HttpServer::get(const std::string& path, const ObjectSink& sink) {
  ports::HttpRequest request = this->request("GET", path);
  request.headers.emplace_back("Accept", type_of(path));
  request.sink_limit = object_limit(sink);
  request.sink = sink.write;
  request.sink_state = sink.state;
  const PlaceResult<ports::HttpResponse> response = send_request(*http_, request, sink.restart);
  if (!response) return tl::unexpected(response.error());
  if (is_missing(response->status)) return false;
  if (response->status == kHttpOk) return true;
  return tl::unexpected(response_fault(request, *response));
}

PlaceResult<bool> HttpServer::has(const std::string& path, uint64_t size) {
  const ports::HttpRequest request = this->request("HEAD", path);
  const PlaceResult<ports::HttpResponse> response = send_request(*http_, request);
  if (!response) return tl::unexpected(response.error());
  if (is_missing(response->status)) return false;
  if (response->status != kHttpOk) return tl::unexpected(response_fault(request, *response));
  const std::string length = publish::header(*response, "content-length");
  return length.empty() || length == std::to_string(size);
}

PlaceDone HttpServer::put(const std::string& path, const ObjectToPut& object) {
  ports::HttpRequest request = this->request("PUT", path);
  request.headers.emplace_back("Content-Type", type_of(path));
  request.contents = object.contents;
  const PlaceResult<ports::HttpResponse> response = send_request(*http_, request);
  if (!response) return tl::unexpected(response.error());
  if (is_success(response->status)) return {};
  return tl::unexpected(response_fault(request, *response));
}

}  // namespace pinwheel::host
