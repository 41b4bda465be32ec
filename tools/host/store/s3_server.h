#pragma once
#include <memory>
#include <string>

#include "host/store/aws_credentials.h"
#include "host/store/object_server.h"

namespace pinwheel::host {

/// The position of a bucket's name: in the path, or in front of the host.
enum class BucketStyle { path, virtual_host };

struct S3Place {
  std::string bucket;
  std::string prefix = {};  ///< without slashes at its ends
  std::string region = "us-east-1";
  std::string endpoint = {};  ///< "https://minio:9000/path"; empty: AWS's in the region
  BucketStyle style = BucketStyle::path;
  uint64_t part_bytes = 64UL << 20;  ///< longer objects are sent in parts of that size
};

/// The default position of the bucket's name: for AWS in front of the host, unless the name has
/// dots; for another server in the path, unless the profile has `addressing_style = virtual`.
S3Place s3_place(std::string bucket, std::string prefix,
                 const std::map<std::string, std::string>& environment);

/// The base address of the objects of a bucket.
struct S3Address {
  std::string base;  ///< scheme and host
  std::string host;  ///< as in `Host`: without the default port of its scheme
  std::string path;  ///< prefix of an object, not encoded: the path of the endpoint, then the
                     ///< bucket
};
S3Address s3_address(const S3Place& place);

/// A bucket of S3, or of a compatible server, with signed requests. If requested, objects are
/// written only if they do not exist (`If-None-Match: *`), large ones in parts; the parts of a
/// failed upload are removed.
class S3Server final : public ObjectServer {
 public:
  S3Server(std::shared_ptr<ports::Http> http, S3Place place,
           std::shared_ptr<AwsCredentials> credentials);

  PlaceResult<bool> get(const std::string& path, const ObjectSink& sink) override;
  PlaceResult<bool> has(const std::string& path, uint64_t size) override;
  PlaceDone put(const std::string& path, const ObjectToPut& object) override;

 private:
  struct Request;
  PlaceResult<ports::HttpResponse> send(const Request& request);
  /// The fault for a response to HEAD, which has no body with the reason.
  PlaceFault fault_of_head(const std::string& path, const ports::HttpResponse& head);
  PlaceDone put_whole(const std::string& path, const ObjectToPut& object);
  PlaceDone put_parts(const std::string& path, const ObjectToPut& object);
  PlaceResult<std::string> send_parts(const std::string& path, const std::string& upload,
                                      const ObjectToPut& object);
  PlaceDone complete(const std::string& path, const std::string& upload, const std::string& parts,
                     Replace replace);

  std::shared_ptr<ports::Http> http_;
  S3Place place_;
  S3Address address_;
  std::shared_ptr<AwsCredentials> credentials_;
};

}  // namespace pinwheel::host
