#include "host/fetch_text.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "base/url.h"
#include "publish/reply.h"

namespace pinwheel::host {
namespace {

constexpr int kMostRedirections = 5;
constexpr size_t kMostBytes = 32UL << 20;
constexpr int kFirstRedirection = 300;
constexpr int kFirstRefusal = 400;
constexpr int kFirstServerFault = 500;

Error refusal(const std::string& url, const ports::HttpResponse& response) {
  const bool may_pass = response.status >= kFirstServerFault;
  return {may_pass ? ErrorKind::transient : ErrorKind::config,
          std::string(trim(
              fmt::format("{} answered {} {}", quoted(url), response.status, response.reason))),
          std::nullopt, "where a page needs a signed-in reader, save it and name the file"};
}

}  // namespace

Result<std::string> fetch_text(ports::Http& http, const std::string& asked) {
  std::string url = asked;
  for (int hop = 0; hop <= kMostRedirections; ++hop) {
    std::string body;
    ports::HttpRequest request;
    request.url = url;
    request.sink = [&body](std::string_view bytes) {
      // What is too much is noticed by its size, without being kept.
      if (body.size() <= kMostBytes) body.append(bytes);
    };
    auto response = http.send(request);
    if (!response) return fail(std::move(response).error().error);
    if (response->status >= kFirstRefusal) return fail(refusal(url, *response));
    if (body.size() > kMostBytes) {
      return fail(ErrorKind::check, fmt::format("{} is no report: it has more than {}",
                                                quoted(asked), format_bytes(kMostBytes)));
    }
    const std::string next = publish::header(*response, "location");
    if (response->status < kFirstRedirection || next.empty()) return body;
    url = resolve_url(url, next);
  }
  return fail(ErrorKind::config,
              fmt::format("{} leads from one address to another without an end", quoted(asked)));
}

}  // namespace pinwheel::host
