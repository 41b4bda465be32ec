#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "host/store/place.h"
#include "ports/byte_source.h"
#include "ports/http.h"

namespace pinwheel::host {

/// Receives the bytes of an object.
struct ObjectSink {
  std::function<void()> restart;  ///< discards the received bytes: a response starts again
  std::function<void(std::string_view bytes)> write;
  uint64_t most_bytes = 0;  ///< a longer object is a fault
  /// Whether the received bytes could be written; an error ends the transfer. May be empty.
  std::function<Done()> state = {};
};

/// An object to be sent.
struct ObjectToPut {
  std::shared_ptr<const ports::ByteSource> contents;
  std::string sha256;  ///< of the contents, in hex
  Replace replace = Replace::no;
  /// Headers that the server stores and returns with the object, such as its type.
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// A server that stores objects by path: "ac/HEX", "cas/HEX". Thread-safe.
class ObjectServer {
 public:
  ObjectServer() = default;
  virtual ~ObjectServer() = default;
  ObjectServer(const ObjectServer&) = delete;
  ObjectServer& operator=(const ObjectServer&) = delete;

  /// False if the server does not have the object.
  virtual PlaceResult<bool> get(const std::string& path, const ObjectSink& sink) = 0;
  /// Whether the server has an object of that size.
  virtual PlaceResult<bool> has(const std::string& path, uint64_t size) = 0;
  /// With `Replace::no`, an existing object stays, if the server supports that.
  virtual PlaceDone put(const std::string& path, const ObjectToPut& object) = 0;
};

/// Sends a request, again after half a second if the server is busy or does not answer. `restart`
/// is called before each attempt. The body of an error is in the response, the beginning of it if
/// the request has a sink.
PlaceResult<ports::HttpResponse> send_request(ports::Http& http, ports::HttpRequest request,
                                              const std::function<void()>& restart = {});

/// The fault for a response of a server that is not a success.
PlaceFault response_fault(const ports::HttpRequest& request, const ports::HttpResponse& response);

/// The limit for the body of a response: an error page may be longer than the object.
ByteLimit object_limit(const ObjectSink& sink);

constexpr int kHttpOk = 200;
constexpr int kHttpNotFound = 404;
constexpr int kHttpGone = 410;
inline bool is_success(int status) {
  return status / 100 == 2;
}
inline bool is_server_error(int status) {
  return status / 100 == 5;
}
inline bool is_missing(int status) {
  return status == kHttpNotFound || status == kHttpGone;
}

}  // namespace pinwheel::host
