#include "host/net/fetch_text.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/net/get_remote.h"

namespace pinwheel::host {
namespace {

constexpr size_t kMostBytes = 32UL << 20;
constexpr int kFirstNoText = 300;

}  // namespace

Result<std::string> fetch_text(ports::Http& http, const std::string& url) {
  std::string body;
  const auto prepare = [&body](ports::HttpRequest& request) {
    // The body of a redirect is not part of the text.
    body.clear();
    request.timeout = std::chrono::minutes(15);
    request.sink = [&body](std::string_view bytes) {
      // Excess data is detected by size and not kept.
      if (body.size() <= kMostBytes) body.append(bytes);
    };
  };
  TRY(const RemoteReply answer, get_remote({http}, url, prepare, {keeps_https, 1}));
  if (answer.reply.status >= kFirstNoText) {
    Error error = unexpected_answer(answer);
    error.hint = "if the page requires a login, save it and pass the file";
    return fail(std::move(error));
  }
  if (body.size() > kMostBytes) {
    return fail(ErrorKind::check, fmt::format("{} is not a report: it has more than {}",
                                              quoted(url), format_bytes(kMostBytes)));
  }
  return body;
}

}  // namespace pinwheel::host
