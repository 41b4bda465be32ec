#include "host/store/s3_server.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "host/store/s3_fault.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

namespace pinwheel::host {
namespace {

using ports::HttpRequest;
using ports::HttpResponse;

/// Answers each request in turn, and reads the bodies that are sent. A sink receives the body of
/// its answer, whatever the status.
class TurnHttp final : public ports::Http {
 public:
  std::vector<HttpResponse> replies = {};
  std::vector<HttpRequest> asked = {};
  std::vector<std::string> bodies = {};
  std::vector<std::chrono::milliseconds> waits = {};

  tl::expected<HttpResponse, ports::HttpFailure> send(const HttpRequest& request) override {
    asked.push_back(request);
    const bool has_body = request.contents != nullptr;
    bodies.push_back(has_body ? *request.contents->read(0, request.contents->size()) : "");
    REQUIRE(asked.size() <= replies.size());
    HttpResponse reply = replies[asked.size() - 1];
    if (request.sink) request.sink(std::exchange(reply.body, {}));
    return reply;
  }
  void wait(std::chrono::milliseconds delay) override { waits.push_back(delay); }
  std::string header(size_t request, const std::string& name) const {
    for (const auto& [key, value] : asked[request].headers) {
      if (key == name) return value;
    }
    return {};
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const HttpRequest& one : asked) out.push_back(one.method + " " + one.url);
    return out;
  }
};

struct Bucket {
  std::shared_ptr<TurnHttp> http = std::make_shared<TurnHttp>();
  S3Place place = {"bucket", "pre", "eu-west-1", "http://h:9000", BucketStyle::path, 4};

  S3Server server() const {
    const std::map<std::string, std::string> variables = {{"AWS_ACCESS_KEY_ID", "ID"},
                                                          {"AWS_SECRET_ACCESS_KEY", "secret-key"}};
    return S3Server(http, place, std::make_shared<AwsCredentials>(AwsSetup{variables, http}));
  }
};

ObjectToPut object(const std::string& bytes, Replace replace = Replace::no) {
  return {std::make_shared<const ports::MemorySource>(bytes), sha256_hex(bytes), replace};
}

PlaceResult<bool> got(S3Server server) {
  return server.get("cas/x", {[] {}, [](std::string_view) {}, 1});
}

std::string error_page(const std::string& code, const std::string& more = {}) {
  return "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>No</Message>" + more +
         "</Error>";
}

const std::string kBegun = "<R><UploadId>a/b+c</UploadId></R>";

}  // namespace

TEST_CASE("objects are below the prefix, in the path or of the host of the bucket", "[store]") {
  Bucket bucket;
  bucket.http->replies = {{404}, {404}, {404}};
  CHECK(bucket.server().has("cas/x", 1) == false);
  bucket.place.style = BucketStyle::virtual_host;
  CHECK(bucket.server().has("cas/x", 1) == false);
  bucket.place.endpoint.clear();
  bucket.place.prefix.clear();
  CHECK(bucket.server().has("cas/x", 1) == false);
  CHECK(bucket.http->lines() ==
        std::vector<std::string>{"HEAD http://h:9000/bucket/pre/cas/x",
                                 "HEAD http://bucket.h:9000/pre/cas/x",
                                 "HEAD https://bucket.s3.eu-west-1.amazonaws.com/cas/x"});
}

TEST_CASE("an object is where botocore finds it, and its request signed as botocore signs it",
          "[store]") {
  // Written by tests/scripts/make_signatures.py.
  std::ifstream file(in_source_tree("tests/data/store/signatures.json"));
  const nlohmann::json data = nlohmann::json::parse(file);
  const store::AwsKeys keys{data["id"], Secret(data["secret"])};
  const auto now = std::chrono::system_clock::from_time_t(data["now"].get<time_t>());
  REQUIRE(data["endpoints"].size() >= 11);
  for (const nlohmann::json& one : data["endpoints"]) {
    CAPTURE(one["name"].get<std::string>());
    S3Place place{"bucket", "", one["region"], one["endpoint"]};
    if (one["style"] == "virtual") place.style = BucketStyle::virtual_host;
    const S3Address address = s3_address(place);
    const std::string path = address.path + "/a b/c+d";
    CHECK(address.host == one["host"].get<std::string>());
    CHECK(store::encoded_path(path) == one["path"].get<std::string>());
    const store::AwsRequest request{"GET", address.host, path, {}, {}, sha256_hex("")};
    const auto headers = store::signed_headers(request, keys, {place.region, "s3", now});
    CHECK(std::find(headers.begin(), headers.end(),
                    std::pair<std::string, std::string>("Authorization",
                                                        one["authorization"].get<std::string>())) !=
          headers.end());
  }
}

TEST_CASE("a request goes to the host that is signed, below the path of the endpoint", "[store]") {
  Bucket bucket;
  bucket.http->replies = {{404}, {404}, {404}};
  for (const char* endpoint :
       {"http://127.0.0.1:80", "https://minio:443/", "http://h:18080/storage/v1/s3/"}) {
    bucket.place.endpoint = endpoint;
    CHECK(bucket.server().has("cas/x", 1) == false);
  }
  CHECK(bucket.http->lines() ==
        std::vector<std::string>{"HEAD http://127.0.0.1/bucket/pre/cas/x",
                                 "HEAD https://minio/bucket/pre/cas/x",
                                 "HEAD http://h:18080/storage/v1/s3/bucket/pre/cas/x"});
}

TEST_CASE("the style of a bucket follows from its server and the profile", "[store]") {
  CHECK(s3_place("bucket", "", {}).style == BucketStyle::virtual_host);
  CHECK(s3_place("a.bucket", "", {}).style == BucketStyle::path);
  CHECK(s3_place("bucket", "", {{"AWS_ENDPOINT_URL", "http://minio"}}).style == BucketStyle::path);
}

TEST_CASE("an object is written only if it is not there", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {{200}, {412}, {409}, {200}};
  CHECK(bucket.server().put("ac/x", object("body")));
  CHECK(bucket.http->header(0, "If-None-Match") == "*");
  CHECK(bucket.http->header(0, "x-amz-content-sha256") == sha256_hex("body"));
  CHECK(bucket.server().put("ac/x", object("body")));
  CHECK(bucket.server().put("ac/x", object("body")));
  CHECK(bucket.server().put("ac/x", object("body", Replace::yes)));
  CHECK(bucket.http->header(3, "If-None-Match").empty());
}

TEST_CASE("an object is replaced only if it is still the one that was read", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {{200, "", {{"etag", "\"1\""}}, "old"},
                          {200},
                          {412},
                          {404, "", {}, error_page("NoSuchKey")},
                          {200},
                          {501},
                          {501}};
  const auto read = bucket.server().read("state", {"a state", 10});
  REQUIRE((read && *read));
  CHECK((*read)->bytes == "old");
  CHECK((*read)->etag == "\"1\"");
  CHECK(bucket.server().put_if("state", object("new"), "\"1\"") == true);
  CHECK(bucket.http->header(1, "If-Match") == "\"1\"");
  CHECK(bucket.http->header(1, "If-None-Match").empty());
  CHECK(bucket.server().put_if("state", object("new"), "\"1\"") == false);
  CHECK(bucket.server().put_if("state", object("new"), "\"1\"") == false);
  CHECK(bucket.server().put_if("state", object("new"), "") == true);
  CHECK(bucket.http->header(4, "If-None-Match") == "*");
  // A replacement without its condition could lose what another client wrote.
  const auto refused = bucket.server().put_if("state", object("new"), "\"1\"");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == FaultKind::refused);
}

TEST_CASE("an object has the headers that it is stored with", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {
      {200}, {200, "", {{"etag", "\"2\""}, {"x-amz-meta-generation", "7"}}}, {404}};
  ObjectToPut page = object("<p>");
  page.headers = {{"Content-Type", "text/html"}, {"x-amz-meta-generation", "7"}};
  CHECK(bucket.server().put("index.html", page));
  CHECK(bucket.http->header(0, "Content-Type") == "text/html");
  CHECK(bucket.http->header(0, "x-amz-meta-generation") == "7");
  const auto head = bucket.server().head("index.html");
  REQUIRE((head && *head));
  CHECK((*head)->etag == "\"2\"");
  CHECK((*head)->generation == "7");
  const auto missing = bucket.server().head("index.html");
  REQUIRE(missing);
  CHECK_FALSE(*missing);
}

TEST_CASE("a server that knows no conditions is asked without", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {{501}, {501}, {200}};
  CHECK(bucket.server().put("ac/x", object("body")));
  CHECK(bucket.http->header(2, "If-None-Match").empty());
}

TEST_CASE("a long object is sent in parts", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {{200, "", {}, kBegun},
                          {200, "", {{"etag", "\"1\""}}},
                          {200, "", {{"etag", "\"2\""}}},
                          {200, "", {{"etag", "\"3\""}}},
                          {200, "", {}, "<CompleteMultipartUploadResult/>"}};
  CHECK(bucket.server().put("cas/x", object("0123456789")));
  const std::string url = "http://h:9000/bucket/pre/cas/x";
  CHECK(bucket.http->lines() ==
        std::vector<std::string>{
            "POST " + url + "?uploads=", "PUT " + url + "?partNumber=1&uploadId=a%2Fb%2Bc",
            "PUT " + url + "?partNumber=2&uploadId=a%2Fb%2Bc",
            "PUT " + url + "?partNumber=3&uploadId=a%2Fb%2Bc",
            "POST " + url + "?uploadId=a%2Fb%2Bc"});
  CHECK(bucket.http->bodies[1] + bucket.http->bodies[2] + bucket.http->bodies[3] == "0123456789");
  CHECK(bucket.http->bodies[4] ==
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"1\"</ETag></Part>"
        "<Part><PartNumber>2</PartNumber><ETag>\"2\"</ETag></Part>"
        "<Part><PartNumber>3</PartNumber><ETag>\"3\"</ETag></Part></CompleteMultipartUpload>");
  CHECK(bucket.http->header(4, "If-None-Match") == "*");
}

TEST_CASE("parts of an upload that failed are removed", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {{200, "", {}, kBegun}, {403}, {204}};
  const PlaceDone done = bucket.server().put("cas/x", object("0123456789"));
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == FaultKind::refused);
  CHECK(bucket.http->lines()[2] == "DELETE http://h:9000/bucket/pre/cas/x?uploadId=a%2Fb%2Bc");
}

TEST_CASE("an upload whose last answer was lost has succeeded if the object is there", "[store]") {
  const Bucket bucket;
  const HttpResponse unknown = {404, "", {}, error_page("NoSuchUpload")};
  bucket.http->replies = {
      {200, "", {}, kBegun}, {200}, {200}, {200}, unknown, {200, "", {{"content-length", "10"}}}};
  CHECK(bucket.server().put("cas/x", object("0123456789")));
  CHECK(bucket.http->lines().back() == "HEAD http://h:9000/bucket/pre/cas/x");
}

TEST_CASE("an upload that the server lost has failed if the object is another", "[store]") {
  for (const HttpResponse& head :
       {HttpResponse{404}, HttpResponse{200, "", {{"content-length", "9"}}}}) {
    const Bucket bucket;
    const HttpResponse unknown = {404, "", {}, error_page("NoSuchUpload")};
    bucket.http->replies = {{200, "", {}, kBegun}, {200}, {200}, {200}, unknown, head, {404}};
    const PlaceDone done = bucket.server().put("cas/x", object("0123456789"));
    REQUIRE_FALSE(done);
    CHECK(done.error().error.message == "it answered 404 to POST http://h:9000: NoSuchUpload");
    CHECK(bucket.http->lines().back().starts_with("DELETE "));
  }
}

TEST_CASE("an upload that ends with an error in a success has failed", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {{200, "", {}, kBegun},
                          {200},
                          {200},
                          {200},
                          {200, "", {}, error_page("InternalError")},
                          {204}};
  const PlaceDone done = bucket.server().put("cas/x", object("0123456789"));
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == FaultKind::busy);
  CHECK(done.error().error.message == "it answered 200 to POST http://h:9000: InternalError");
  CHECK(bucket.http->lines()[5] == "DELETE http://h:9000/bucket/pre/cas/x?uploadId=a%2Fb%2Bc");
}

TEST_CASE("an object that is missing is a miss, a bucket that is missing is a fault", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {{404, "", {}, error_page("NoSuchKey")},
                          {404, "", {}, error_page("NoSuchBucket")}};
  CHECK(got(bucket.server()) == false);
  const PlaceResult<bool> missing = got(bucket.server());
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == FaultKind::refused);
  CHECK(missing.error().error.message == "it answered 404 to GET http://h:9000: NoSuchBucket");
  CHECK(missing.error().error.hint.find("the name of the bucket") != std::string::npos);
}

TEST_CASE("why an object is refused is asked for where the answer has no body", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {{403}, {403, "", {}, error_page("ExpiredToken")}, {403}, {206}, {503},
                          {503}};
  const PlaceResult<bool> expired = bucket.server().has("cas/x", 1);
  REQUIRE_FALSE(expired);
  CHECK(expired.error().error.message == "it answered 403 to HEAD http://h:9000: ExpiredToken");
  CHECK(expired.error().error.hint.find("AWS_SESSION_TOKEN") != std::string::npos);
  CHECK(bucket.http->header(1, "Range") == "bytes=0-0");
  const PlaceResult<bool> unexplained = bucket.server().has("cas/x", 1);
  REQUIRE_FALSE(unexplained);
  CHECK(unexplained.error().error.message == "it answered 403 to HEAD http://h:9000");
  CHECK(bucket.http->waits.empty());
  CHECK_FALSE(bucket.server().has("cas/x", 1));
  CHECK(bucket.http->waits.size() == 1);
  CHECK(bucket.http->lines().back().starts_with("HEAD "));
}

TEST_CASE("the code of an answer decides before its status", "[store]") {
  const auto kind = [](int status, const std::string& code) {
    return s3_fault("PUT", "http://h", {status, "", {}, error_page(code)}).kind;
  };
  CHECK(kind(403, "QuotaExceeded") == FaultKind::full);
  CHECK(kind(400, "EntityTooLarge") == FaultKind::full);
  CHECK(kind(507, "XMinioStorageFull") == FaultKind::full);
  CHECK(kind(400, "ExpiredToken") == FaultKind::refused);
  CHECK(kind(200, "SlowDown") == FaultKind::busy);
  CHECK(kind(503, "Unheard") == FaultKind::busy);
  CHECK(kind(403, "Unheard") == FaultKind::refused);
}

TEST_CASE("a wrong clock is called by its name, with the time of the server", "[store]") {
  const auto fault = [](const std::string& time) {
    const std::string page =
        error_page("RequestTimeTooSkewed", "<ServerTime>" + time + "</ServerTime>");
    return s3_fault("GET", "http://h", {403, "", {}, page}).error;
  };
  CHECK(fault("2026-01-02T03:04:05Z").message ==
        "it answered 403 to GET http://h: RequestTimeTooSkewed: the clock of this machine is "
        "wrong, or the server's");
  CHECK(fault("2026-01-02T03:04:05Z").hint ==
        "set the clock of this machine: the server's said 2026-01-02T03:04:05Z");
  CHECK(fault("run this command").hint.find("run this") == std::string::npos);
}

TEST_CASE("a code that is a text of its own is no part of a message", "[store]") {
  const PlaceFault fault =
      s3_fault("GET", "http://h", {500, "Oops", {}, error_page(std::string(65, 'x'))});
  CHECK(fault.error.message == "it answered 500 to GET http://h: Oops");
}

TEST_CASE("without credentials a bucket refuses, with a hint", "[store]") {
  const auto http = std::make_shared<TurnHttp>();
  S3Server server(
      http, {"bucket"},
      std::make_shared<AwsCredentials>(AwsSetup{{{"AWS_EC2_METADATA_DISABLED", "true"}}, http}));
  const auto has = server.has("cas/x", 1);
  REQUIRE_FALSE(has);
  CHECK(has.error().kind == FaultKind::refused);
  CHECK_FALSE(has.error().error.hint.empty());
  CHECK(http->asked.empty());
}

TEST_CASE("the code of an S3 error is part of the fault", "[store]") {
  const Bucket bucket;
  bucket.http->replies = {{403, "", {}, "<Error><Code>SignatureDoesNotMatch</Code></Error>"}};
  const auto put = bucket.server().put("ac/x", object("x"));
  REQUIRE_FALSE(put);
  CHECK(put.error().error.message == "it answered 403 to PUT http://h:9000: SignatureDoesNotMatch");
}

}  // namespace pinwheel::host
