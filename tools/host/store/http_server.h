#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/secret.h"
#include "host/store/object_server.h"

namespace pinwheel::host {

/// The credentials for requests to a server.
struct HttpServerAccess {
  std::string url;  ///< "https://host/prefix"
  std::optional<ports::BasicCredentials> credentials = std::nullopt;
  Secret token = {};  ///< sent as `Authorization: Bearer`; empty: none
};

/// A server in the dialect of bazel-remote, which servers of plain files also understand: GET, HEAD
/// and PUT of `ac/HEX` and `cas/HEX` below a prefix; an entry of `ac` is an ActionResult in JSON.
class HttpServer final : public ObjectServer {
 public:
  HttpServer(std::shared_ptr<ports::Http> http, HttpServerAccess access);

  PlaceResult<bool> get(const std::string& path, const ObjectSink& sink) override;
  PlaceResult<bool> has(const std::string& path, uint64_t size) override;
  PlaceDone put(const std::string& path, const ObjectToPut& object) override;

 private:
  ports::HttpRequest request(const std::string& method, const std::string& path) const;

  std::shared_ptr<ports::Http> http_;
  HttpServerAccess access_;
};

}  // namespace pinwheel::host
