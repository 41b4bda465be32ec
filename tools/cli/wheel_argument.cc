#include "cli/wheel_argument.h"

#include <fmt/format.h>

#include <chrono>

#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "host/net/get_remote.h"
#include "host/net/http.h"
#include "pep/requirement.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/workplace.h"

namespace pinwheel::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Prints the progress every few seconds.
class FetchProgress {
 public:
  explicit FetchProgress(Streams& streams) : streams_(streams) {}

  void operator()(uint64_t bytes) {
    constexpr std::chrono::seconds kPause(3);
    const Clock::time_point now = Clock::now();
    if (now - printed_ < kPause) return;
    printed_ = now;
    streams_.note(fmt::format("{} so far\n", format_bytes(bytes)));
  }

 private:
  Streams& streams_;
  Clock::time_point printed_ = Clock::now();
};

}  // namespace

Result<FileArgument> open_argument(const prepare::Host& host, const std::string& text,
                                   Streams& streams) {
  if (!is_address(text)) return FileArgument{{text}};
  const std::optional<host::RemoteAddress> address = host::parse_address(text);
  if (address && address->credentials) streams.mask(address->credentials->password);
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::reading_options(host.variables), streams.log(), {});
  streams.note(fmt::format("downloading {}\n", mask_urls(address ? address->url : text)));
  FetchProgress progress(streams);
  TRY(host::FetchedWheel wheel,
      host::fetch_wheel(*http, text,
                        {prepare::unnamed_files_directory(host.variables),
                         [&progress](uint64_t bytes) { progress(bytes); }}));
  FileArgument argument{{wheel.path, wheel.name}};
  argument.fetched = std::move(wheel);
  return argument;
}

Result<pep::SpecifierSet> parse_torch_range(const std::string& option, const std::string& text) {
  const Result<pep::Requirement> requirement = pep::parse_requirement(text);
  if (requirement && requirement->name == "torch") return requirement->specifiers;
  Result<pep::SpecifierSet> clauses = pep::parse_specifiers(text);
  if (clauses) return clauses;
  return fail(ErrorKind::usage, fmt::format("{} cannot be {}", quoted(option), quoted(text)),
              "use a range of torch releases, `torch>=2.10,<2.14`");
}

}  // namespace pinwheel::cli
