#include "host/net/fetch_text.h"

#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
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
      // Excess data is detected by size and not kept.
      if (body.size() <= limits::kReport.most) body.append(bytes);
    };
  };
  TRY(const RemoteReply answer, get_remote({http}, url, prepare, {keeps_https, 1}));
  if (answer.reply.status >= kFirstNoText) {
    Error error = unexpected_answer(answer);
    error.hint = "if the page requires a login, save it and pass the file";
    return fail(std::move(error));
  }
  if (body.size() > limits::kReport.most) {
    return fail(too_large(quoted(url), limits::kReport));
  }
  return body;
}

}  // namespace pinwheel::host
