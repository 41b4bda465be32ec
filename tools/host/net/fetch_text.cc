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
    // What a redirection says besides its address is not part of the text.
    body.clear();
    request.timeout = std::chrono::minutes(15);
    request.sink = [&body](std::string_view bytes) {
      // What is too much is noticed by its size, without being kept.
      if (body.size() <= kMostBytes) body.append(bytes);
    };
  };
  TRY(const RemoteReply answer, get_remote({http}, url, prepare, {keeps_https, 1}));
  if (answer.reply.status >= kFirstNoText) {
    Error error = unexpected_answer(answer);
    error.hint = "where a page needs a signed-in reader, save it and name the file";
    return fail(std::move(error));
  }
  if (body.size() > kMostBytes) {
    return fail(ErrorKind::check, fmt::format("{} is no report: it has more than {}", quoted(url),
                                              format_bytes(kMostBytes)));
  }
  return body;
}

}  // namespace pinwheel::host
