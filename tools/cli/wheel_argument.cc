#include "cli/wheel_argument.h"

#include <fmt/format.h>

#include <chrono>

#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "host/index/index_candidate.h"
#include "host/machine/machine_name.h"
#include "host/net/get_remote.h"
#include "host/net/http.h"
#include "pep/requirement.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/workplace.h"
#include "publish/choose_wheel.h"

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

Result<FileArgument> open_address(const prepare::Host& host, const std::string& text,
                                  Streams& streams) {
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

/// The pin in `NAME==VERSION`; nullopt for any other text.
std::optional<pep::Requirement> pinned_release(const std::string& text) {
  Result<pep::Requirement> requirement = pep::parse_requirement(text);
  if (!requirement || requirement->specifiers.size() != 1) return std::nullopt;
  const pep::Specifier& pin = requirement->specifiers.front();
  if (pin.comparison != pep::Comparison::equal || pin.wildcard) return std::nullopt;
  return *std::move(requirement);
}

Result<FileArgument> open_release(const prepare::Host& host, const pep::Requirement& release,
                                  Streams& streams) {
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::reading_options(host.variables), streams.log(), {});
  const std::string arch = host::machine_name();
  const auto choose = [&](const std::vector<publish::IndexFile>& files) {
    return publish::choose_wheel(files, release.name, release.specifiers.front(), arch);
  };
  const auto mask = [&streams](const auto& secret) { streams.mask(secret); };
  TRY(const host::IndexCandidate found,
      host::find_on_indexes(*http, prepare::pip_settings(host, streams.log()), release.name, choose,
                            mask));
  if (const auto path = host::local_file(found)) return FileArgument{{*path}};
  const auto sha256 = found.file.hashes.find("sha256");
  const bool hashed = sha256 != found.file.hashes.end();
  return open_address(host, found.url + (hashed ? "#sha256=" + sha256->second : ""), streams);
}

}  // namespace

Result<FileArgument> open_argument(const prepare::Host& host, const std::string& text,
                                   Streams& streams) {
  if (is_address(text)) return open_address(host, text, streams);
  const bool exists = host.files.resolved_type(text) != ports::FileType::missing;
  const std::optional<pep::Requirement> release = pinned_release(text);
  if (release && !exists) return open_release(host, *release, streams);
  return FileArgument{{text}};
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
