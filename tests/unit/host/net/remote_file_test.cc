#include "host/net/remote_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

constexpr const char* kTorchUrl = "https://files.example/a/torch.whl";

std::string header_of(const ports::HttpRequest& request, std::string_view wanted) {
  for (const auto& [name, value] : request.headers) {
    if (name == wanted) return value;
  }
  return {};
}

/// A server with one file.
class FileServer final : public ports::Http {
 public:
  explicit FileServer(std::string held) : contents(std::move(held)) {}

  std::string contents;
  bool ranges = true;
  std::string redirect = {};     ///< redirect target of `kTorchUrl`; empty: no redirect
  std::vector<int> faults = {};  ///< statuses of the first responses
  std::string etag = {};
  std::string after = {};  ///< the contents after the first response; empty: the same
  /// What the server says about a part.
  std::function<std::string(std::string)> change_range = [](std::string range) { return range; };
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
      const std::string wanted = header_of(request, "Range");
      const std::string only_if = header_of(request, "If-Range");
      const bool is_same = only_if.empty() || only_if == etag;
      if (!wanted.empty() && ranges && is_same) {
        unsigned first = 0;
        unsigned last = 0;
        if (std::sscanf(wanted.c_str(), "bytes=-%u", &last) == 1) {
          first = static_cast<unsigned>(contents.size() - std::min<size_t>(last, contents.size()));
          last = static_cast<unsigned>(contents.size()) - 1;
        } else {
          REQUIRE(std::sscanf(wanted.c_str(), "bytes=%u-%u", &first, &last) == 2);
        }
        body = contents.substr(first, last - first + 1);
        const std::string range =
            fmt::format("bytes {}-{}/{}", first, first + body.size() - 1, contents.size());
        reply = {206, "Partial Content", {{"content-range", change_range(range)}}};
      }
      if (!etag.empty()) reply.headers.emplace_back("etag", etag);
      if (!after.empty() && asked.size() == 1) contents = after;
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
  CHECK((*file)->read(all.size() - 5, 5).value() == all.substr(all.size() - 5));
  CHECK((*file)->read(all.size(), 0).value().empty());
  CHECK(http.asked.size() == 1);
  CHECK((*file)->read(100, 50).value() == all.substr(100, 50));
  CHECK((*file)->read(300000, 70000).value() == all.substr(300000, 70000));
  CHECK((*file)->bytes_fetched() == 65536 + 65536 + 70000);
  // Every byte is fetched once.
  CHECK((*file)->read(0, 65536).value() == all.substr(0, 65536));
  CHECK((*file)->read(299000, 72000).value() == all.substr(299000, 72000));
  CHECK((*file)->requests() == 5);
  CHECK((*file)->read(300000, 1000).value() == all.substr(300000, 1000));
  CHECK(http.asked.size() == 5);
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
  // That is not worth a message for a file that is smaller than a part.
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
  CHECK(http.sent == 0);
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

TEST_CASE("ranges of a remote file are fetched together when they are near, and not twice") {
  const Scratch scratch;
  FileServer http(std::string(3'000'000, 'x'));
  const auto file = host::RemoteFile::open({http}, {scratch.path()}, kTorchUrl);
  REQUIRE(file);
  REQUIRE((*file)->fetch({{1'000'000, 1'001'000}, {0, 100}, {100'000, 100'010}, {7, 7}}));
  CHECK((*file)->requests() == 3);
  CHECK(header_of(http.asked[1], "Range") == "bytes=0-100009");
  CHECK(header_of(http.asked[2], "Range") == "bytes=1000000-1000999");
  CHECK((*file)->has({0, 100'010}));
  CHECK_FALSE((*file)->has({0, 100'011}));
  // The end is there already, and nothing is beyond it.
  REQUIRE((*file)->fetch({{50, 60}, {2'990'000, 5'000'000}}));
  CHECK((*file)->requests() == 3);
  CHECK((*file)->bytes_fetched() == 65536 + 100'010 + 1000);
}

TEST_CASE("many ranges far from each other take a bounded number of requests") {
  const Scratch scratch;
  FileServer http(std::string(40'000'000, 'x'));
  const auto file = host::RemoteFile::open({http}, {scratch.path()}, kTorchUrl);
  REQUIRE(file);
  std::vector<ByteRange> ranges;
  for (uint64_t at = 0; at < 39'000'000; at += 300'000) ranges.push_back({at, at + 10});
  REQUIRE((*file)->fetch(ranges));
  CHECK((*file)->requests() <= 65);
  CHECK((*file)->has(ranges.back()));
}

TEST_CASE("a file that changes while it is read in parts is an error") {
  const Scratch scratch;
  const std::string before(2'000'000, 'a');
  for (const char* const etag : {"", "\"1\"", "W/\"1\""}) {
    FileServer http(before);
    http.etag = etag;
    http.after = std::string(1'900'000, 'b');
    const auto file = host::RemoteFile::open({http}, {scratch.path()}, kTorchUrl);
    REQUIRE(file);
    const auto part = (*file)->read(100'000, 10);
    REQUIRE_FALSE(part);
    CHECK(part.error().kind == ErrorKind::transient);
    CHECK(part.error().message == fmt::format("`{}` changed while it was read", kTorchUrl));
  }
  // One of the same size is known by its entity tag, which the server may ignore in the request.
  FileServer http(before);
  http.etag = "\"1\"";
  const auto file = host::RemoteFile::open({http}, {scratch.path()}, kTorchUrl);
  REQUIRE(file);
  REQUIRE((*file)->read(100'000, 10));
  CHECK(header_of(http.asked[1], "If-Range") == "\"1\"");
  http.etag = "\"2\"";
  const auto part = (*file)->read(500'000, 10);
  REQUIRE_FALSE(part);
  CHECK(part.error().message == fmt::format("`{}` changed while it was read", kTorchUrl));
  // The whole new file was not received.
  CHECK(http.sent < 65536 * 2 + 3 * 200'000);
}

TEST_CASE("wrong answers to range requests lead to the whole file, or to an error") {
  const Scratch scratch;
  FileServer http(numbers(100000));
  const std::string all = http.contents;
  const auto open = [&] { return host::RemoteFile::open({http}, {scratch.path()}, kTorchUrl); };
  // At first nothing is lost yet: the file is downloaded as a whole.
  for (const char* const range : {"", "bytes 5-9/*", "bytes 0-65535/588890", "items 1-2/3"}) {
    http.change_range = [range](const std::string&) { return std::string(range); };
    const auto file = open();
    REQUIRE(file);
    CHECK((*file)->read(100, 50).value() == all.substr(100, 50));
    CHECK((*file)->requests() == 2);
    CHECK((*file)->has({0, all.size()}));
  }
  http.change_range = [](std::string range) { return range; };
  http.faults = {416};
  CHECK(open().value()->read(0, 4).value() == all.substr(0, 4));
  // Later it is an error.
  const auto file = open();
  REQUIRE(file);
  http.change_range = [](const std::string&) { return "bytes 1-65536/588890"; };
  const auto part = (*file)->read(0, 10);
  REQUIRE_FALSE(part);
  CHECK(part.error().message ==
        fmt::format("`{}` answered with a different part than requested", kTorchUrl));
  CHECK_FALSE((*file)->has({0, 1}));
}

TEST_CASE("a file whose size differs from the one on its index is an error") {
  const Scratch scratch;
  FileServer http(numbers(100000));
  const uint64_t size = http.contents.size();
  const host::WholeFiles whole{scratch.path()};
  CHECK(host::RemoteFile::open({http}, whole, kTorchUrl, {65536, size}));
  for (const bool ranges : {true, false}) {
    http.ranges = ranges;
    const auto file = host::RemoteFile::open({http}, whole, kTorchUrl, {65536, size + 1});
    REQUIRE_FALSE(file);
    CHECK(file.error().kind == ErrorKind::check);
    CHECK(file.error().message ==
          fmt::format("`{}` has {} bytes, but its index says {}", kTorchUrl, size, size + 1));
  }
}

TEST_CASE("an address that a redirect led to is asked for again when it has expired") {
  const Scratch scratch;
  FileServer http(numbers(100000));
  http.redirect = "https://store.example/x?signature=1";
  const auto file = host::RemoteFile::open({http}, {scratch.path()}, kTorchUrl);
  REQUIRE(file);
  http.faults = {403};
  CHECK((*file)->read(0, 10).value() == http.contents.substr(0, 10));
  REQUIRE(http.asked.size() == 5);
  CHECK(http.asked[2].url == http.redirect);
  CHECK(http.asked[3].url == kTorchUrl);
}
