#include "host/net/fetch_text.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "host/net/get_remote.h"

namespace pinwheel::host {
namespace {

constexpr int kFirstNoText = 300;

}  // namespace

Result<std::string> fetch_text(ports::Http& http, const std::string& url) {
  std::string body;
  const auto prepare = [&body](ports::HttpRequest& request) {
    // The body of a redirect is not part of the text.
    body.clear();
    request.sink_limit = limits::kReport;
    request.sink = [&body](std::string_view bytes) {
      // Excess data is detected by size and discarded.
      if (body.size() <= limits::kReport.most) body.append(bytes);
    };
  };
  TRY(const RemoteReply answer, get_remote({http}, url, prepare, {is_no_downgrade, 1}));
  if (answer.reply.status >= kFirstNoText) {
    Error error = unexpected_answer(answer);
    error.hint = "if the page requires a login, save it and pass the file";
    return fail(std::move(error));
  }
  if (body.size() > limits::kReport.most) {
    return fail(too_large(quoted_url(url), limits::kReport));
  }
  return body;
}

namespace {

constexpr int kWheelIsThere = 200;

/// A partially received body.
struct Arriving {
  UnnamedFile file;
  Sha256 hash = {};
  uint64_t bytes = 0;
};

Error other_digest(std::string_view url, std::string_view found, std::string_view stated) {
  return {ErrorKind::check,
          fmt::format("{} has the sha256 {}, but its URL says {}", quoted_url(url), found, stated),
          std::nullopt,
          {},
          {}};
}

}  // namespace

Result<WheelAddress> parse_wheel_address(const std::string& text) {
  constexpr std::string_view kDigest = "sha256=";
  const size_t hash = std::min(text.find('#'), text.size());
  std::optional<RemoteAddress> remote = parse_address(text.substr(0, hash));
  const std::string shown = remote ? remote->url : text;
  const std::optional<UrlParts> parts = split_url(shown);
  if (!remote || !parts) {
    return fail(ErrorKind::usage, fmt::format("{} is not a URL", quoted_url(shown)));
  }
  if (parts->scheme != "https" && !is_loopback(parts->host)) {
    return fail(ErrorKind::usage, fmt::format("{} is not an https address", quoted_url(shown)),
                "use https, or download the file and pass its path");
  }
  WheelAddress address{*std::move(remote), {}};
  const std::string path = parts->path.substr(0, parts->path.find('?'));
  address.name = decode_percent(last_part(path));
  if (!address.name.ends_with(".whl") || address.name.find('/') != std::string::npos) {
    return fail(ErrorKind::usage, fmt::format("{} is not the URL of a wheel", quoted_url(shown)),
                "the path must end in the file name, `*.whl`");
  }
  const std::string fragment = text.substr(std::min(hash + 1, text.size()));
  if (fragment.starts_with(kDigest)) address.sha256 = to_lower(fragment.substr(kDigest.size()));
  return address;
}

RemoteAccess access_to(ports::Http& http, const WheelAddress& address,
                       const std::optional<RemoteAddress>& index) {
  const bool is_own = address.remote.credentials || !index;
  const RemoteAddress& origin = is_own ? address.remote : *index;
  return {http, origin.credentials, origin.url};
}

Done check_digest(const ports::ByteSource& file, std::string_view url, std::string_view sha256) {
  constexpr uint64_t kPiece = uint64_t{1} << 20U;
  Sha256 hash;
  for (uint64_t at = 0; at < file.size(); at += kPiece) {
    TRY(const std::string piece, file.read(at, std::min(kPiece, file.size() - at)));
    hash.update(piece);
  }
  const std::string found = to_hex(hash.finish());
  if (found == sha256) return {};
  return fail(other_digest(url, found, sha256));
}

Result<FetchedWheel> fetch_wheel(ports::Http& http, const WheelAddress& address,
                                 const FetchOptions& options) {
  std::optional<Arriving> body;
  const auto prepare = [&](ports::HttpRequest& request) {
    // Discards the body of a redirect or half a file.
    body.emplace(Arriving{UnnamedFile(options.directory)});
    request.sink = [&](std::string_view bytes) {
      body->file.write(bytes);
      body->hash.update(bytes);
      body->bytes += bytes.size();
      if (options.on_bytes) options.on_bytes(body->bytes);
    };
    request.sink_state = [&body] { return body->file.written(); };
  };
  const std::string& url = address.remote.url;
  TRY(const RemoteReply answer, get_remote(access_to(http, address, options.index), url, prepare));
  if (answer.reply.status != kWheelIsThere) return fail(unexpected_answer(answer));
  TRY_DONE(body->file.written());
  const std::string found = to_hex(body->hash.finish());
  if (!address.sha256.empty() && found != address.sha256) {
    return fail(other_digest(url, found, address.sha256));
  }
  FetchedWheel wheel{address.name, {}, std::move(body->file)};
  wheel.path = fmt::format("/proc/self/fd/{}", wheel.file.descriptor().get());
  return wheel;
}

}  // namespace pinwheel::host
