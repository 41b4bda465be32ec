#include "host/net/http.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "host/system/file_source.h"
#include "unit/catch.h"
#include "unit/host/fake_index.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using ports::FormField;
using ports::FormFile;
using ports::HttpRequest;

namespace {

std::shared_ptr<const ports::ByteSource> contents_of(const std::filesystem::path& file) {
  auto source = host::FileSource::open(file);
  REQUIRE(source);
  return *std::move(source);
}

HttpRequest upload(const FakeIndex& index, const std::filesystem::path& file) {
  HttpRequest request;
  request.method = "POST";
  request.url = index.url() + "/";
  request.form = {FormField{"name", "naïve \"name\""}, FormField{"empty", ""},
                  FormField{"name", "line one\nline two"},
                  FormFile{"content", "a+b-1-x.whl", contents_of(file)}};
  return request;
}

nlohmann::json log_of(const FakeIndex& index) {
  const auto reply = host::CurlHttp().send({.url = index.url() + "/log"});
  REQUIRE(reply);
  return nlohmann::json::parse(reply->body);
}

/// Requests a body of more than 400 KB twice, whose limits refuse it: once without a sink, once
/// with one. Returns the number of bytes that the sink received.
size_t taken_of_too_much(const std::string& url) {
  HttpRequest page{.url = url, .body_limit = {"a page", 300'000}};
  const auto refused = host::CurlHttp().send(page);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().error.kind == ErrorKind::check);
  CHECK(refused.error().error.message.find("larger than the limit of 300 KB for a page") !=
        std::string::npos);
  size_t taken = 0;
  page.sink = [&](std::string_view bytes) { taken += bytes.size(); };
  page.sink_limit = {"a file", 400'000};
  const auto ended = host::CurlHttp().send(page);
  REQUIRE_FALSE(ended);
  CHECK(ended.error().error.kind == ErrorKind::check);
  CHECK(ended.error().error.message.find("limit of 400 KB for a file") != std::string::npos);
  return taken;
}

}  // namespace

TEST_CASE("a form arrives field by field, its file streamed with a known length") {
  const Scratch scratch;
  const std::string bytes(3'000'000, 'x');
  scratch.write("file", bytes);
  const FakeIndex index;
  uint64_t sent = 0;
  uint64_t total = 0;
  HttpRequest request = upload(index, scratch.path() / "file");
  request.progress = [&](uint64_t now, uint64_t all) {
    CHECK(now >= sent);
    sent = now;
    total = all;
  };
  const auto reply = host::CurlHttp({.user_agent = "pinwheel/1.2"}).send(request);
  REQUIRE(reply);
  CHECK(reply->status == 200);
  CHECK(reply->reason == "OK");
  CHECK(sent == total);
  CHECK(total > bytes.size());
  const nlohmann::json log = log_of(index);
  REQUIRE(log.size() == 1);
  CHECK(log[0]["agent"] == "pinwheel/1.2");
  CHECK(log[0]["length"] == total);
  const auto pair = [](const char* name, const nlohmann::json& value) {
    return nlohmann::json::array({name, value});
  };
  const nlohmann::json file = {{"filename", "a+b-1-x.whl"},
                               {"type", "application/octet-stream"},
                               {"sha256", sha256_hex(bytes)}};
  const nlohmann::json expected =
      nlohmann::json::array({pair("name", "naïve \"name\""), pair("empty", ""),
                             pair("name", "line one\nline two"), pair("content", file)});
  CHECK(log[0]["fields"] == expected);
}

TEST_CASE("the reason phrase, headers and body of any status are values") {
  const Scratch scratch;
  scratch.write("file", "x");
  const FakeIndex index({"--plan", "ok,redirect", "--token", "secret"});
  const HttpRequest request = upload(index, scratch.path() / "file");
  const auto refused = host::CurlHttp().send(request);
  REQUIRE(refused);
  CHECK(refused->status == 403);
  CHECK(refused->reason == "Invalid or non-existent authentication information.");
  HttpRequest authorized = request;
  authorized.credentials = ports::BasicCredentials{"__token__", Secret("secret")};
  const auto redirect = host::CurlHttp().send(authorized);
  REQUIRE(redirect);
  CHECK(redirect->status == 308);
  CHECK(redirect->body.empty());
  CHECK(log_of(index).size() == 2);
}

TEST_CASE("a response before the body was sent is still a response") {
  const Scratch scratch;
  scratch.write("file", std::string(200'000, 'x'));
  const FakeIndex index({"--plan", "early-413"});
  const auto reply = host::CurlHttp().send(upload(index, scratch.path() / "file"));
  // The server may reset the connection before its response is read: then the outcome is unknown.
  if (reply) {
    CHECK(reply->status == 413);
  } else {
    CHECK(reply.error().sent == ports::Sent::perhaps);
  }
}

TEST_CASE("a connection that fails after bytes were sent has an unknown outcome") {
  const Scratch scratch;
  scratch.write("file", std::string(1'000'000, 'x'));
  for (const char* step : {"cut", "lost"}) {
    const FakeIndex index({"--plan", step});
    const auto reply = host::CurlHttp().send(upload(index, scratch.path() / "file"));
    REQUIRE_FALSE(reply);
    CHECK(reply.error().sent == ports::Sent::perhaps);
    CHECK(reply.error().error.kind == ErrorKind::transient);
    CHECK(log_of(index).size() == 1);
  }
}

TEST_CASE("an answer that is not HTTP, or does not end, has an unknown outcome") {
  const Scratch scratch;
  scratch.write("file", "x");
  for (const char* step : {"malformed", "headers", "many-headers"}) {
    const FakeIndex index({"--plan", step});
    const auto reply = host::CurlHttp().send(upload(index, scratch.path() / "file"));
    INFO(step);
    REQUIRE_FALSE(reply);
    CHECK(reply.error().sent == ports::Sent::perhaps);
    CHECK(reply.error().error.kind == ErrorKind::transient);
    const std::string& message = reply.error().error.message;
    CHECK((message.find("malformed") != std::string::npos ||
           message.find("limit of 250 KB for the header of a reply") != std::string::npos));
  }
}

TEST_CASE("a body is received up to its limit: then the request fails, or the rest is left") {
  const Scratch scratch;
  scratch.write("file", "x");
  const FakeIndex index({"--plan", "endless"});
  CHECK(taken_of_too_much(index.url() + "/endless") <= 400'000);
  HttpRequest request = upload(index, scratch.path() / "file");
  request.body_limit = {"a reply", 1000};
  request.long_body = ports::LongBody::ends;
  const auto cut = host::CurlHttp().send(request);
  REQUIRE(cut);
  CHECK(cut->status == 200);
  CHECK(cut->body.size() == 1000);
}

TEST_CASE("a declared length over the limit is refused before the body arrives") {
  const FakeIndex index;
  CHECK(taken_of_too_much(index.url() + "/terabyte") < 100);
  // This reply has no body.
  CHECK(host::CurlHttp().send({.method = "HEAD", .url = index.url() + "/terabyte"}));
}

TEST_CASE("a request with a bound of its own ends there") {
  const FakeIndex index;
  HttpRequest request{.url = index.url() + "/trickle"};
  request.patience = std::chrono::milliseconds(1500);
  const auto late = host::CurlHttp().send(request);
  REQUIRE_FALSE(late);
  CHECK(late.error().error.kind == ErrorKind::transient);
  CHECK(late.error().error.message.ends_with("` within 1.5s"));
}

TEST_CASE("a byte at a time is too slow, whatever is sent, and in the end too long") {
  const Scratch scratch;
  scratch.write("file", "x");
  const FakeIndex index({"--plan", "trickle,trickle"});
  const HttpRequest page{.url = index.url() + "/trickle"};
  const host::HttpBounds slow{.window = std::chrono::seconds(1)};
  const host::HttpBounds long_one{.min_speed = 0, .longest = std::chrono::milliseconds(1500)};
  for (const HttpRequest& request : {page, upload(index, scratch.path() / "file")}) {
    const auto ended = host::CurlHttp({.bounds = slow}).send(request);
    REQUIRE_FALSE(ended);
    CHECK(ended.error().error.kind == ErrorKind::transient);
    CHECK(ended.error().sent == ports::Sent::perhaps);
    CHECK(ended.error().error.message == "no answer from `127.0.0.1" +
                                             index.url().substr(index.url().rfind(':')) +
                                             "`: fewer than 1.0 KB a second for 1.0s");
    CHECK(ended.error().error.hint.find("PINWHEEL_MIN_SPEED") != std::string::npos);
    const auto late = host::CurlHttp({.bounds = long_one}).send(request);
    REQUIRE_FALSE(late);
    CHECK(late.error().error.kind == ErrorKind::transient);
    CHECK(late.error().error.message.find("lasted longer than 1.5s") != std::string::npos);
    CHECK(late.error().error.hint.find("PINWHEEL_TRANSFER_TIME") != std::string::npos);
  }
}

TEST_CASE("if nothing listens on the port, nothing was sent") {
  std::string url;
  { url = FakeIndex().url(); }
  const auto reply = host::CurlHttp().send({.method = "POST", .url = url, .body = "x"});
  REQUIRE_FALSE(reply);
  CHECK(reply.error().sent == ports::Sent::nothing);
  CHECK(reply.error().error.kind == ErrorKind::transient);
}

TEST_CASE("only http and https are supported") {
  const auto reply = host::CurlHttp().send({.url = "file:///etc/hostname"});
  REQUIRE_FALSE(reply);
  CHECK(reply.error().error.kind == ErrorKind::environment);
  CHECK(reply.error().sent == ports::Sent::nothing);
}

TEST_CASE("a sink receives the body instead of the response") {
  const FakeIndex index;
  std::string taken;
  const auto reply = host::CurlHttp().send(
      {.url = index.url() + "/log", .sink = [&](std::string_view bytes) { taken += bytes; }});
  REQUIRE(reply);
  CHECK(reply->body.empty());
  CHECK(taken == "[]");
}

TEST_CASE("a sink that cannot take more ends the request with its reason") {
  const FakeIndex index;
  std::string taken;
  HttpRequest request{.url = index.url() + "/log"};
  request.sink = [&](std::string_view bytes) { taken += bytes; };
  request.sink_state = [&]() -> Done { return fail(ErrorKind::environment, "the disk is full"); };
  const auto reply = host::CurlHttp().send(request);
  REQUIRE_FALSE(reply);
  CHECK(reply.error().error.kind == ErrorKind::environment);
  CHECK(reply.error().error.message == "the disk is full");
  CHECK(taken == "[]");
  request.sink_state = [] { return Done(); };
  CHECK(host::CurlHttp().send(request));
}

/// Fails at its last byte.
class Failing final : public ports::ByteSource {
 public:
  uint64_t size() const override { return 100'000; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override {
    if (offset + length == size()) return fail(ErrorKind::check, "it changed");
    return std::string(length, 'x');
  }
};

TEST_CASE("a file that cannot be read whole never arrives") {
  const FakeIndex index;
  HttpRequest request;
  request.method = "POST";
  request.url = index.url() + "/";
  request.form = {FormFile{"content", "a-1-x.whl", std::make_shared<Failing>()}};
  const auto reply = host::CurlHttp().send(request);
  REQUIRE_FALSE(reply);
  CHECK(reply.error().error.message == "it changed");
  CHECK(reply.error().sent == ports::Sent::perhaps);
  CHECK(log_of(index).empty());
}

TEST_CASE("a request to a silent server ends after the stall limit") {
  const Scratch scratch;
  scratch.write("file", "x");
  const FakeIndex index({"--plan", "hang"});
  const auto reply = host::CurlHttp({.bounds = {.window = std::chrono::seconds(1)}})
                         .send(upload(index, scratch.path() / "file"));
  REQUIRE_FALSE(reply);
  CHECK(reply.error().error.kind == ErrorKind::transient);
  CHECK(reply.error().sent == ports::Sent::perhaps);
}

TEST_CASE("a stop request ends a transfer") {
  const Scratch scratch;
  scratch.write("file", "x");
  const FakeIndex index({"--plan", "hang"});
  std::stop_source stop;
  HttpRequest request = upload(index, scratch.path() / "file");
  request.progress = [&](uint64_t, uint64_t) { stop.request_stop(); };
  const auto reply = host::CurlHttp({}, stop.get_token()).send(request);
  REQUIRE_FALSE(reply);
  CHECK(reply.error().error.kind == ErrorKind::interrupted);
}

TEST_CASE("the certificates come from the first variable that is set") {
  CHECK(host::ca_bundle_from({}).empty());
  CHECK(host::ca_bundle_from({{"SSL_CERT_FILE", "/a"}, {"REQUESTS_CA_BUNDLE", ""}}) == "/a");
  CHECK(host::ca_bundle_from({{"SSL_CERT_FILE", "/a"}, {"CURL_CA_BUNDLE", "/b"}}) == "/b");
}

TEST_CASE("a body is streamed from its source with a known length") {
  const Scratch scratch;
  const FakeIndex server({"--fault", "plain"}, "store_server.py");
  const std::string bytes(3'000'000, 'x');
  HttpRequest request;
  request.method = "PUT";
  request.url = server.url() + "/cas/" + sha256_hex(bytes);
  request.contents = contents_of(scratch.write("file", bytes));
  host::CurlHttp http({.connections = host::Connections::reused});
  auto reply = http.send(request);
  REQUIRE(reply);
  CHECK(reply->status == 200);
  reply = http.send({.url = request.url});
  REQUIRE(reply);
  CHECK(reply->body == bytes);
  request.contents = contents_of(scratch.write("file", ""));
  reply = http.send(request);
  REQUIRE(reply);
  CHECK(reply->status == 200);
}

TEST_CASE("a wait before another request ends at once when requests are stopped") {
  std::stop_source stop;
  host::CurlHttp http({}, stop.get_token());
  stop.request_stop();
  http.wait(std::chrono::hours(1));
}
