#pragma once
#include <memory>
#include <optional>
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

/// What a server says about an object.
struct ObjectHead {
  std::string etag;             ///< identifies its bytes in conditions
  std::string generation = {};  ///< the metadata `x-amz-meta-generation`; empty without it
};
/// An object in memory.
struct SmallObject {
  std::string bytes;
  std::string etag;
};

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

  /// A whole object; nullopt if it is missing.
  PlaceResult<std::optional<SmallObject>> read(const std::string& path, ByteLimit limit);
  /// nullopt if the object is missing.
  PlaceResult<std::optional<ObjectHead>> head(const std::string& path);
  /// Writes an object in one request, if it still has that ETag, or does not exist for an empty
  /// ETag. False if it changed. A fault if the server answers that it knows no conditions; one that
  /// silently ignores them is not detected.
  PlaceResult<bool> put_if(const std::string& path, const ObjectToPut& object,
                           const std::string& etag);

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
                     const ObjectToPut& object);

  std::shared_ptr<ports::Http> http_;
  S3Place place_;
  S3Address address_;
  std::shared_ptr<AwsCredentials> credentials_;
};

}  // namespace pinwheel::host
