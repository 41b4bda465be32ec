#include "host/store/s3_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "base/url.h"
#include "host/store/s3_fault.h"
#include "host/store/xml_value.h"
#include "publish/reply.h"

namespace pinwheel::host {
namespace {

constexpr int kConflict = 409;
constexpr int kExists = 412;
constexpr int kNotImplemented = 501;

/// A part of a longer source.
class PartSource final : public ports::ByteSource {
 public:
  PartSource(std::shared_ptr<const ports::ByteSource> whole, uint64_t begin, uint64_t size)
      : whole_(std::move(whole)), begin_(begin), size_(size) {}

  uint64_t size() const override { return size_; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override {
    return whole_->read(begin_ + offset, length);
  }

 private:
  std::shared_ptr<const ports::ByteSource> whole_;
  uint64_t begin_;
  uint64_t size_;
};

std::shared_ptr<const ports::ByteSource> in_memory(std::string bytes) {
  return std::make_shared<const ports::MemorySource>(std::move(bytes));
}

/// The host of a URL as a client sends it: the signature must match it.
std::string without_usual_port(const UrlParts& url) {
  const std::string port = url.scheme == "https" ? ":443" : ":80";
  const bool usual = url.host.ends_with(port);
  return url.host.substr(0, url.host.size() - (usual ? port.size() : 0));
}

/// Whether the server reports that another client wrote the object, now or before.
bool is_there_already(int status) {
  return status == kExists || status == kConflict;
}

}  // namespace

/// A request to the bucket.
struct S3Server::Request {
  std::string method = "GET";
  std::string path = {};  ///< below the prefix
  store::NameValues query = {};
  store::NameValues headers = {};
  std::shared_ptr<const ports::ByteSource> contents = {};
  std::string payload_sha256 = sha256_hex("");
  const ObjectSink* sink = nullptr;
};

S3Place s3_place(std::string bucket, std::string prefix,
                 const std::map<std::string, std::string>& environment) {
  const store::AwsProfile profile = aws_profile(environment);
  S3Place place{std::move(bucket), std::move(prefix), aws_region(environment, profile),
                aws_endpoint(environment, profile, "S3")};
  const std::string style = value_at(profile, "s3.addressing_style");
  const bool of_aws = place.endpoint.empty() && place.bucket.find('.') == std::string::npos;
  if ((of_aws && style != "path") || style == "virtual") place.style = BucketStyle::virtual_host;
  return place;
}

S3Address s3_address(const S3Place& place) {
  const std::string endpoint = place.endpoint.empty()
                                   ? fmt::format("https://s3.{}.amazonaws.com", place.region)
                                   : place.endpoint;
  const UrlParts parts = split_url(endpoint).value_or(UrlParts{"https", "", endpoint, ""});
  S3Address address;
  address.host = without_usual_port(parts);
  const std::string path = decode_percent(parts.path.substr(0, parts.path.find_first_of("?#")));
  address.path = without_trailing_slashes(path);
  if (place.style == BucketStyle::virtual_host) {
    address.host = place.bucket + "." + address.host;
  } else {
    address.path += "/" + place.bucket;
  }
  address.base = parts.scheme + "://" + address.host;
  return address;
}

S3Server::S3Server(std::shared_ptr<ports::Http> http, S3Place place,
                   std::shared_ptr<AwsCredentials> credentials)
    : http_(std::move(http)),
      place_(std::move(place)),
      address_(s3_address(place_)),
      credentials_(std::move(credentials)) {}

PlaceResult<ports::HttpResponse> S3Server::send(const Request& request) {
  const Result<store::AwsKeys> keys = credentials_->keys();
  if (!keys) return fault(FaultKind::refused, keys.error());
  std::string path = address_.path;
  if (!place_.prefix.empty()) path += "/" + place_.prefix;
  const store::AwsRequest unsigned_request{
      request.method, address_.host,   path + "/" + request.path,
      request.query,  request.headers, request.payload_sha256};
  ports::HttpRequest out;
  out.method = request.method;
  out.url = address_.base + store::encoded_path(unsigned_request.path);
  if (!request.query.empty()) out.url += "?" + store::encoded_query(request.query);
  out.headers = store::signed_headers(unsigned_request, *keys,
                                      {place_.region, "s3", std::chrono::system_clock::now()});
  out.contents = request.contents;
  if (request.sink == nullptr) return send_request(*http_, out);
  out.sink_limit = object_limit(*request.sink);
  out.sink = request.sink->write;
  out.sink_state = request.sink->state;
  return send_request(*http_, out, request.sink->restart);
}

PlaceResult<bool> S3Server::get(const std::string& path, const ObjectSink& sink) {
  Request request;
  request.path = path;
  request.sink = &sink;
  const PlaceResult<ports::HttpResponse> response = send(request);
  if (!response) return tl::unexpected(response.error());
  if (is_missing(response->status) && !lacks_bucket(*response)) return false;
  if (response->status == kHttpOk) return true;
  return tl::unexpected(s3_fault("GET", address_.base, *response));
}

PlaceResult<bool> S3Server::has(const std::string& path, uint64_t size) {
  Request request;
  request.method = "HEAD";
  request.path = path;
  const PlaceResult<ports::HttpResponse> response = send(request);
  if (!response) return tl::unexpected(response.error());
  if (is_missing(response->status)) return false;
  if (response->status != kHttpOk) return tl::unexpected(fault_of_head(path, *response));
  return publish::header(*response, "content-length") == std::to_string(size);
}

PlaceResult<std::optional<SmallObject>> S3Server::read(const std::string& path, ByteLimit limit) {
  Request request;
  request.path = path;
  std::string bytes;
  const ObjectSink sink{[&bytes] { bytes.clear(); },
                        [&bytes](std::string_view piece) { bytes += piece; }, limit.most};
  request.sink = &sink;
  const PlaceResult<ports::HttpResponse> response = send(request);
  if (!response) return tl::unexpected(response.error());
  if (is_missing(response->status) && !lacks_bucket(*response)) return std::nullopt;
  if (response->status != kHttpOk) {
    return tl::unexpected(s3_fault("GET", address_.base, *response));
  }
  return SmallObject{std::move(bytes), publish::header(*response, "etag")};
}

PlaceResult<std::optional<ObjectHead>> S3Server::head(const std::string& path) {
  Request request;
  request.method = "HEAD";
  request.path = path;
  const PlaceResult<ports::HttpResponse> response = send(request);
  if (!response) return tl::unexpected(response.error());
  if (is_missing(response->status)) return std::nullopt;
  if (response->status != kHttpOk) return tl::unexpected(fault_of_head(path, *response));
  return ObjectHead{publish::header(*response, "etag"),
                    publish::header(*response, "x-amz-meta-generation")};
}

PlaceResult<bool> S3Server::put_if(const std::string& path, const ObjectToPut& object,
                                   const std::string& etag) {
  Request request;
  request.method = "PUT";
  request.path = path;
  request.contents = object.contents;
  request.payload_sha256 = object.sha256;
  request.headers = object.headers;
  request.headers.emplace_back(etag.empty() ? "If-None-Match" : "If-Match",
                               etag.empty() ? "*" : etag);
  const PlaceResult<ports::HttpResponse> response = send(request);
  if (!response) return tl::unexpected(response.error());
  if (is_success(response->status)) return true;
  // An object that another client removed meanwhile is missing.
  if (is_there_already(response->status)) return false;
  if (is_missing(response->status) && !lacks_bucket(*response)) return false;
  PlaceFault refused = s3_fault("PUT", address_.base, *response);
  if (response->status == kNotImplemented) {
    refused.kind = FaultKind::refused;
    refused.error.hint = "the server must support conditional writes (`If-Match`): update it";
  }
  return tl::unexpected(std::move(refused));
}

PlaceFault S3Server::fault_of_head(const std::string& path, const ports::HttpResponse& head) {
  // A busy server gets no further requests.
  if (is_server_error(head.status)) return s3_fault("HEAD", address_.base, head);
  const ObjectSink nowhere{[] {}, [](std::string_view) {}};
  Request request;
  request.path = path;
  request.headers = {{"Range", "bytes=0-0"}};
  request.sink = &nowhere;
  const PlaceResult<ports::HttpResponse> response = send(request);
  const bool is_same = response && response->status == head.status;
  return s3_fault("HEAD", address_.base, is_same ? *response : head);
}

PlaceDone S3Server::put(const std::string& path, const ObjectToPut& object) {
  return object.contents->size() > place_.part_bytes ? put_parts(path, object)
                                                     : put_whole(path, object);
}

PlaceDone S3Server::put_whole(const std::string& path, const ObjectToPut& object) {
  Request request;
  request.method = "PUT";
  request.path = path;
  request.contents = object.contents;
  request.payload_sha256 = object.sha256;
  request.headers = object.headers;
  if (object.replace == Replace::no) request.headers.emplace_back("If-None-Match", "*");
  PlaceResult<ports::HttpResponse> response = send(request);
  if (response && response->status == kNotImplemented && object.replace == Replace::no) {
    // A server that does not know conditions.
    request.headers.pop_back();
    response = send(request);
  }
  if (!response) return tl::unexpected(response.error());
  const bool there = object.replace == Replace::no && is_there_already(response->status);
  if (there || is_success(response->status)) return {};
  return tl::unexpected(s3_fault("PUT", address_.base, *response));
}

PlaceDone S3Server::put_parts(const std::string& path, const ObjectToPut& object) {
  Request begin;
  begin.method = "POST";
  begin.path = path;
  begin.query = {{"uploads", ""}};
  begin.headers = object.headers;
  begin.contents = in_memory({});
  const PlaceResult<ports::HttpResponse> response = send(begin);
  if (!response) return tl::unexpected(response.error());
  const std::string upload = xml_value(response->body, "UploadId");
  if (response->status != kHttpOk || upload.empty()) {
    return tl::unexpected(s3_fault("POST", address_.base, *response));
  }
  const PlaceResult<std::string> parts = send_parts(path, upload, object);
  PlaceDone done =
      parts ? complete(path, upload, *parts, object) : PlaceDone(tl::unexpected(parts.error()));
  if (done) return done;
  // Parts are billed until they are removed.
  Request abort;
  abort.method = "DELETE";
  abort.path = path;
  abort.query = {{"uploadId", upload}};
  static_cast<void>(send(abort));
  return done;
}

PlaceResult<std::string> S3Server::send_parts(const std::string& path, const std::string& upload,
                                              const ObjectToPut& object) {
  std::string list;
  const uint64_t size = object.contents->size();
  int number = 0;
  for (uint64_t at = 0; at < size; at += place_.part_bytes) {
    ++number;
    Request request;
    request.method = "PUT";
    request.path = path;
    request.query = {{"partNumber", std::to_string(number)}, {"uploadId", upload}};
    request.contents = std::make_shared<const PartSource>(object.contents, at,
                                                          std::min(place_.part_bytes, size - at));
    // The digest of a part is not known before it is sent; that of the whole object is compared.
    request.payload_sha256 = store::kUnsignedPayload;
    const PlaceResult<ports::HttpResponse> response = send(request);
    if (!response) return tl::unexpected(response.error());
    if (!is_success(response->status)) {
      return tl::unexpected(s3_fault("PUT", address_.base, *response));
    }
    list += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", number,
                        publish::header(*response, "etag"));
  }
  return list;
}

PlaceDone S3Server::complete(const std::string& path, const std::string& upload,
                             const std::string& parts, const ObjectToPut& object) {
  const std::string body = "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>";
  Request request;
  request.method = "POST";
  request.path = path;
  request.query = {{"uploadId", upload}};
  request.contents = in_memory(body);
  request.payload_sha256 = sha256_hex(body);
  if (object.replace == Replace::no) request.headers.emplace_back("If-None-Match", "*");
  const PlaceResult<ports::HttpResponse> response = send(request);
  // The server may have put the parts together, and its answer to this request, or to the first of
  // two, was lost: then it does not know the upload any more.
  const bool lost = !response || is_missing(response->status);
  if (lost && object.replace == Replace::no) {
    const PlaceResult<bool> there = has(path, object.contents->size());
    if (there && *there) return {};
  }
  if (!response) return tl::unexpected(response.error());
  if (object.replace == Replace::no && is_there_already(response->status)) return {};
  // The server may first report success, and then a failure.
  const bool failed = response->body.find("<Error") != std::string::npos;
  if (is_success(response->status) && !failed) return {};
  return tl::unexpected(s3_fault("POST", address_.base, *response));
}

}  // namespace pinwheel::host
