#include "host/net/remote_file.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

constexpr const char* kTorchUrl = "https://files.example/a/torch.whl";

/// A server with one file.
class FileServer final : public ports::Http {
 public:
  explicit FileServer(std::string held) : contents(std::move(held)) {}

  std::string contents;
  bool ranges = true;
  std::string redirect = {};     ///< redirect target of `kTorchUrl`; empty: no redirect
  std::vector<int> faults = {};  ///< statuses of the first responses
  std::vector<ports::HttpRequest> asked = {};
  size_t sent = 0;  ///< bytes
  std::vector<std::chrono::milliseconds> waits = {};

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override {
    asked.push_back(request);
    ports::HttpResponse reply{404, "Not Found"};
    std::string body = "a page";
    if (!faults.empty()) {
      reply.status = faults.front();
      faults.erase(faults.begin());
    } else if (!redirect.empty() && request.url == kTorchUrl) {
      reply = {302, "Found", {{"location", redirect}}};
    } else if (request.url == kTorchUrl || request.url == redirect) {
      reply = {200, "OK"};
      body = contents;
      unsigned first = 0;
      unsigned last = 0;
      for (const auto& [name, value] : request.headers) {
        if (name != "Range" || !ranges) continue;
        REQUIRE(std::sscanf(value.c_str(), "bytes=%u-%u", &first, &last) == 2);
        body = contents.substr(first, last - first + 1);
        const std::string range =
            fmt::format("bytes {}-{}/{}", first, first + body.size() - 1, contents.size());
        reply = {206, "Partial Content", {{"content-range", range}}};
      }
    }
    // In pieces, as from a network.
    for (size_t at = 0; at < body.size(); at += 10000) {
      const std::string_view piece = std::string_view(body).substr(at, 10000);
      request.sink(piece);
      sent += piece.size();
      Done taken = request.sink_state ? request.sink_state() : Done();
      if (!taken) {
        return tl::unexpected(ports::HttpFailure{std::move(taken).error(), ports::Sent::perhaps});
      }
    }
    return reply;
  }
  void wait(std::chrono::milliseconds delay) override { waits.push_back(delay); }
};

std::string numbers(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += std::to_string(i) + "\n";
  return out;
}

}  // namespace

TEST_CASE("only the requested parts of a remote file are fetched") {
  const Scratch scratch;
  FileServer http(numbers(100000));
  const std::string& all = http.contents;
  const auto file = host::RemoteFile::open({http}, {scratch.path()}, kTorchUrl);
  REQUIRE(file);
  CHECK((*file)->size() == all.size());
  CHECK((*file)->read(100, 50).value() == all.substr(100, 50));
  CHECK(http.asked.size() == 1);
  CHECK((*file)->read(400000, 70000).value() == all.substr(400000, 70000));
  CHECK((*file)->read(all.size() - 5, 5).value() == all.substr(all.size() - 5));
  CHECK((*file)->read(all.size(), 0).value().empty());
  CHECK((*file)->bytes_fetched() == 65536 + 70000 + 5);
  CHECK((*file)->read(all.size(), 1).error().kind == ErrorKind::check);
  CHECK((*file)->read(UINT64_MAX, 2).error().kind == ErrorKind::check);
}

TEST_CASE("from a server without ranges the whole file is downloaded once, with a notice") {
  const Scratch scratch;
  FileServer http(numbers(100000));
  http.ranges = false;
  std::vector<std::string> urls;
  const host::WholeFiles whole{scratch.path(),
                               [&](std::string_view url) { urls.emplace_back(url); }};
  const auto file = host::RemoteFile::open({http}, whole, kTorchUrl);
  REQUIRE(file);
  CHECK((*file)->size() == http.contents.size());
  CHECK((*file)->read(400000, 70000).value() == http.contents.substr(400000, 70000));
  CHECK(http.asked.size() == 1);
  CHECK(urls == std::vector<std::string>{kTorchUrl});
  CHECK(std::filesystem::is_empty(scratch.path()));
  // A file smaller than a part is not written to disk.
  http.contents = "small";
  CHECK(host::RemoteFile::open({http}, whole, kTorchUrl).value()->read(1, 3).value() == "mal");
  CHECK(urls.size() == 1);
}

TEST_CASE("a download that cannot be written ends at once, with the reason") {
  const Scratch scratch;
  FileServer http(numbers(100000));
  http.ranges = false;
  const auto file = host::RemoteFile::open({http}, {scratch.path() / "missing"}, kTorchUrl);
  REQUIRE_FALSE(file);
  CHECK(file.error().message.find("missing") != std::string::npos);
  CHECK(http.asked.size() == 1);
  CHECK(http.sent < http.contents.size() / 2);
}

TEST_CASE("redirects are followed once, and credentials go only to their own server") {
  const Scratch scratch;
  FileServer http(numbers(100000));
  http.redirect = "https://store.example/x?signature=1";
  const host::RemoteAccess access{http, ports::BasicCredentials{"user", Secret("word")},
                                  "https://files.example/simple/"};
  const auto file = host::RemoteFile::open(access, {scratch.path()}, kTorchUrl);
  REQUIRE(file);
  REQUIRE((*file)->read(400000, 10));
  REQUIRE(http.asked.size() == 3);
  CHECK(http.asked[0].credentials);
  CHECK_FALSE(http.asked[1].credentials);
  CHECK(http.asked[2].url == http.redirect);
  http.redirect = "http://store.example/x";
  CHECK_FALSE(host::RemoteFile::open(access, {scratch.path()}, kTorchUrl));
}

TEST_CASE("a busy server is retried, a rejection is an error with its status") {
  const Scratch scratch;
  FileServer http(numbers(1000));
  http.faults = {503, 429};
  CHECK(host::RemoteFile::open({http}, {scratch.path()}, kTorchUrl));
  CHECK(http.waits ==
        std::vector<std::chrono::milliseconds>{std::chrono::seconds(1), std::chrono::seconds(2)});
  http.faults = {403};
  const auto refused = host::RemoteFile::open({http}, {scratch.path()}, kTorchUrl);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().message == fmt::format("`{}` answered 403 Not Found", kTorchUrl));
}
