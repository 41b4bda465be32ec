#include "host/store/remote_place.h"

#include <nlohmann/json.hpp>

#include "host/net/http.h"
#include "host/store/http_server.h"
#include "host/store/open_store.h"
#include "unit/host/fake_index.h"
#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

const store::Address kWhere = store::entry_address(store::Domain::branch, sha256_hex("k"));

/// tests/fakes/store_server.py, and places on it.
class RemoteStore {
 public:
  explicit RemoteStore(std::vector<std::string> arguments = {})
      : server_(std::move(arguments), "store_server.py") {}

  std::string url() const { return server_.url() + "/a/prefix"; }
  std::unique_ptr<RemotePlace> place(HttpServerAccess access = {}) const {
    access.url = url();
    HttpOptions options;
    options.connections = Connections::reused;
    options.bounds.window = std::chrono::seconds(2);
    return std::make_unique<RemotePlace>(
        access.url, std::make_unique<HttpServer>(std::make_shared<CurlHttp>(options), access));
  }
  std::vector<std::string> requests() const {
    const auto reply = CurlHttp().send({.url = server_.url() + "/log"});
    REQUIRE(reply);
    std::vector<std::string> out;
    for (const nlohmann::json& one : nlohmann::json::parse(reply->body)) {
      out.push_back(one["method"].get<std::string>() + " " + one["path"].get<std::string>());
    }
    return out;
  }

 private:
  FakeIndex server_;
};

FaultKind kind_of(const RemoteStore& server) {
  const auto found = server.place()->find(kWhere);
  REQUIRE_FALSE(found);
  return found.error().kind;
}

/// Fills a directory that a server may serve.
void fill(const Scratch& scratch) {
  REQUIRE(RemoteStore({"--root", (scratch.path() / "root").string()})
              .place()
              ->put({kWhere}, entry_of("k", {"one"}), files_of(scratch, {"one"})));
}

std::vector<std::string> serving(const Scratch& scratch, const std::string& fault) {
  return {"--root", (scratch.path() / "root").string(), "--fault", fault};
}

}  // namespace

TEST_CASE("a server with the rules of bazel-remote keeps results", "[store]") {
  const Scratch scratch;
  const RemoteStore server;
  const auto place = server.place();
  CHECK(*place->find(kWhere) == std::nullopt);
  const store::Entry result = entry_of("k", {"one", ""});
  CHECK(place->put({kWhere}, result, files_of(scratch, {"one", ""})) == PutOutcome::written);
  CHECK(*place->find(kWhere) == result);
  CHECK(place->fetch(blob_of("one"), scratch.path() / "out") == true);
  CHECK(scratch.read("out") == "one");
  CHECK(place->fetch(blob_of(""), scratch.path() / "empty") == true);
  CHECK(place->fetch(blob_of("two"), scratch.path() / "none") == false);
  CHECK_FALSE(fs::exists(scratch.path() / "none"));
}

TEST_CASE("blobs are sent before the result, and only those that the server lacks", "[store]") {
  const Scratch scratch;
  const RemoteStore server;
  const auto place = server.place();
  REQUIRE(place->put({kWhere}, entry_of("k", {"one"}), files_of(scratch, {"one"})));
  const store::Address second = store::entry_address(store::Domain::branch, "l");
  REQUIRE(place->put({second}, entry_of("l", {"one"}), files_of(scratch, {"one"})));
  std::vector<std::string> puts;
  for (const std::string& request : server.requests()) {
    if (request.starts_with("PUT")) puts.push_back(request.substr(0, 18));
  }
  CHECK(puts == std::vector<std::string>{"PUT /a/prefix/cas/", "PUT /a/prefix/cas/",
                                         "PUT /a/prefix/ac/" + kWhere.hex.substr(0, 1),
                                         "PUT /a/prefix/cas/",
                                         "PUT /a/prefix/ac/" + second.hex.substr(0, 1)});
  CHECK(place->put({second}, entry_of("l", {"one"}), {}) == PutOutcome::present);
}

TEST_CASE("a large blob is streamed into the server and out of it", "[store]") {
  const Scratch scratch;
  const RemoteStore server({"--fault", "plain"});
  const auto place = server.place();
  std::string large(20'000'001, 'x');
  large[19'999'999] = 'y';
  REQUIRE(place->put({kWhere}, entry_of("k", {large}), files_of(scratch, {large})));
  REQUIRE(place->fetch(blob_of(large), scratch.path() / "out") == true);
  CHECK(scratch.read("out") == large);
}

TEST_CASE("nothing is received that the disk has no room for", "[store]") {
  const Scratch scratch;
  const RemoteStore server;
  const auto place = server.place();
  REQUIRE(place->put({kWhere}, entry_of("k", {"one"}), files_of(scratch, {"one"})));
  const auto fetched =
      place->fetch({sha256_hex("one"), uint64_t{1} << 60U}, scratch.path() / "out");
  REQUIRE_FALSE(fetched);
  CHECK(fetched.error().kind == FaultKind::full);
  CHECK(fetched.error().error.kind == ErrorKind::environment);
  CHECK_FALSE(fs::exists(scratch.path() / "out"));
}

TEST_CASE("a file that changed is not sent to the end", "[store]") {
  const Scratch scratch;
  for (const char* rules : {"", "plain"}) {
    const RemoteStore server({"--fault", rules});
    const BlobFiles files = files_of(scratch, {"one"});
    scratch.write("made/" + sha256_hex("one"), "two");
    const auto put = server.place()->put({kWhere}, entry_of("k", {"one"}), files);
    REQUIRE_FALSE(put);
    CHECK(put.error().kind == FaultKind::wrong_bytes);
    CHECK(server.place()->fetch(blob_of("one"), scratch.path() / "out") == false);
    scratch.write("made/" + sha256_hex("one"), "three");
    CHECK_FALSE(server.place()->put({kWhere}, entry_of("k", {"one"}), files));
  }
}

TEST_CASE("credentials are sent as the server wants them, and missing ones are a fault",
          "[store]") {
  const RemoteStore basic({"--user", "me", "--password", "correct horse"});
  CHECK(kind_of(basic) == FaultKind::refused);
  HttpServerAccess access;
  access.credentials = ports::BasicCredentials{"me", Secret("correct horse")};
  CHECK(basic.place(access)->find(kWhere));
  const RemoteStore bearer({"--token", "battery staple"});
  CHECK(kind_of(bearer) == FaultKind::refused);
  HttpServerAccess token;
  token.token = Secret("battery staple");
  CHECK(bearer.place(token)->find(kWhere));
}

TEST_CASE("every way in which a server fails is a fault, and leaves no file", "[store]") {
  const Scratch scratch;
  fill(scratch);
  CHECK(kind_of(RemoteStore(serving(scratch, "500"))) == FaultKind::busy);
  CHECK(kind_of(RemoteStore(serving(scratch, "wrong"))) == FaultKind::wrong_bytes);
  CHECK(kind_of(RemoteStore(serving(scratch, "long"))) == FaultKind::wrong_bytes);
  CHECK(kind_of(RemoteStore(serving(scratch, "cut"))) == FaultKind::unreachable);
  CHECK(kind_of(RemoteStore(serving(scratch, "slow"))) == FaultKind::unreachable);
  for (const char* name : {"500", "wrong", "long", "cut", "slow"}) {
    CAPTURE(name);
    const RemoteStore server(serving(scratch, name));
    CHECK_FALSE(server.place()->fetch(blob_of("one"), scratch.path() / "out"));
    CHECK_FALSE(fs::exists(scratch.path() / "out"));
  }
}

TEST_CASE("a full server is a fault", "[store]") {
  const Scratch scratch;
  const RemoteStore server({"--fault", "full"});
  const auto put =
      server.place()->put({kWhere}, entry_of("k", {"one"}), files_of(scratch, {"one"}));
  REQUIRE_FALSE(put);
  CHECK(put.error().kind == FaultKind::full);
  CHECK(put.error().error.message.starts_with("it answered 507 to PUT http://127.0.0.1:"));
  CHECK(put.error().error.message.ends_with(": no space left"));
}

TEST_CASE("a server that is gone is a fault", "[store]") {
  std::unique_ptr<RemotePlace> place;
  {
    const RemoteStore server;
    place = server.place();
  }
  const auto found = place->find(kWhere);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == FaultKind::unreachable);
}

TEST_CASE("a damaged blob is sent anew", "[store]") {
  const Scratch scratch;
  fill(scratch);
  const fs::path blob = scratch.path() / "root/cas" / sha256_hex("one");
  std::ofstream(blob) << "two";
  const RemoteStore server(serving(scratch, "plain"));
  const auto place = server.place();
  CHECK(place->fetch(blob_of("one"), scratch.path() / "out").error().kind ==
        FaultKind::wrong_bytes);
  CHECK(place->put({kWhere}, entry_of("k", {"one"}), files_of(scratch, {"one"})) ==
        PutOutcome::written);
  CHECK(place->fetch(blob_of("one"), scratch.path() / "out") == true);
}

TEST_CASE("secrets of the environment go to servers that the user named, and are masked",
          "[store]") {
  const RemoteStore server({"--token", "battery staple"});
  StoreSetup setup;
  std::vector<std::string> masked;
  setup.mask = [&masked](const Secret& secret) { masked.push_back(secret.reveal()); };
  setup.environment = {{"PINWHEEL_STORE_TOKEN", "battery staple"}};
  setup.places = {*store::parse_place(server.url())};
  auto store = *open_store(setup);
  CHECK_FALSE(store->find({"build:cpu", sha256_hex("k")}));
  CHECK(store->finish().empty());
  CHECK(masked == std::vector<std::string>{"battery staple"});
  setup.places = {*store::parse_place(server.url(), store::NamedBy::matrix)};
  store = *open_store(setup);
  CHECK_FALSE(store->find({"build:cpu", sha256_hex("k")}));
  CHECK_FALSE(store->finish().empty());
}

TEST_CASE("secrets are not sent without encryption, nor ones that cannot be hidden", "[store]") {
  StoreSetup setup;
  setup.environment = {{"PINWHEEL_STORE_PASSWORD", "correct horse"}};
  setup.places = {*store::parse_place("http://cache.example/x")};
  const auto open = open_store(setup);
  REQUIRE_FALSE(open);
  CHECK(open.error().kind == ErrorKind::usage);
  CHECK(open.error().message ==
        "the credentials of the store would be sent without encryption to "
        "`http://cache.example/x`");
  setup.environment = {{"PINWHEEL_STORE_TOKEN", "short"}};
  CHECK(open_store(setup).error().message == "PINWHEEL_STORE_TOKEN has fewer than 8 characters");
  setup.environment.clear();
  CHECK(open_store(setup));
}

}  // namespace pinwheel::host
