#include "cli/wheel_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "env/pip_index.h"
#include "host/index/index_candidate.h"
#include "host/machine/machine_name.h"
#include "host/net/get_remote.h"
#include "host/net/http.h"
#include "pep/requirement.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/workplace.h"
#include "publish/choose_wheel.h"
#include "publish/index_file.h"

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

/// A wheel on a server.
struct WheelPlace {
  host::WheelAddress address;
  std::optional<host::RemoteAddress> index = std::nullopt;
  std::optional<uint64_t> size = std::nullopt;  ///< that the index states
};

std::filesystem::path scratch_of(const prepare::Host& host) {
  return prepare::unnamed_files_directory(host.variables);
}

Result<FileArgument> download(const prepare::Host& host, const WheelPlace& place,
                              Streams& streams) {
  const host::WheelAddress& address = place.address;
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::reading_options(host.variables), streams.log(), {});
  streams.note(fmt::format("downloading {}\n", mask_urls(address.remote.url)));
  FetchProgress progress(streams);
  host::FetchOptions options{scratch_of(host), [&progress](uint64_t bytes) { progress(bytes); }};
  options.index = place.index;
  TRY(host::FetchedWheel wheel, host::fetch_wheel(*http, address, options));
  FileArgument argument;
  argument.input = {wheel.path, wheel.name};
  argument.fetched = std::move(wheel);
  return argument;
}

Result<FileArgument> open_in_parts(const prepare::Host& host, const WheelPlace& place,
                                   Streams& streams) {
  const host::WheelAddress& address = place.address;
  auto wheel = std::make_unique<RemoteWheel>();
  wheel->http = host.http(prepare::reading_options(host.variables), streams.log(), {});
  wheel->name = address.name;
  wheel->sha256 = address.sha256;
  streams.note(fmt::format("reading {}\n", mask_urls(address.remote.url)));
  host::WholeFiles whole{scratch_of(host)};
  whole.on_download = [&streams](std::string_view url) {
    streams.note(
        fmt::format("{} is downloaded completely: its server does not support range requests\n",
                    mask_urls(std::string(url))));
  };
  const auto progress = std::make_shared<FetchProgress>(streams);
  whole.on_bytes = [progress](uint64_t bytes) { (*progress)(bytes); };
  // The directories of most wheels are that long.
  constexpr uint64_t kTail = uint64_t{256} << 10U;
  TRY(wheel->file,
      host::RemoteFile::open(host::access_to(*wheel->http, address, place.index), std::move(whole),
                             address.remote.url, {kTail, place.size}));
  FileArgument argument;
  argument.input.name = address.name;
  argument.remote = std::move(wheel);
  return argument;
}

Result<FileArgument> open_address(const prepare::Host& host, const std::string& text,
                                  WheelPart part, Streams& streams) {
  TRY(host::WheelAddress address, host::parse_wheel_address(text));
  if (address.remote.credentials) streams.mask(address.remote.credentials->password);
  // A digest on the command line is a request to verify it.
  const bool whole = part == WheelPart::whole || !address.sha256.empty();
  const WheelPlace place{std::move(address)};
  return whole ? download(host, place, streams) : open_in_parts(host, place, streams);
}

/// The pin in `NAME==VERSION`; nullopt for any other text.
std::optional<pep::Requirement> pinned_release(const std::string& text) {
  Result<pep::Requirement> requirement = pep::parse_requirement(text);
  if (!requirement || requirement->specifiers.size() != 1) return std::nullopt;
  const pep::Specifier& pin = requirement->specifiers.front();
  if (pin.comparison != pep::Comparison::equal || pin.wildcard) return std::nullopt;
  return *std::move(requirement);
}

/// The indexes for releases.
env::PipIndexes indexes_for(const prepare::Host& host, const std::string& named, Streams& streams) {
  env::PipIndexes indexes;
  if (named.empty()) return prepare::pip_settings(host, streams.log());
  if (named != "pypi") indexes.index = named;
  return indexes;
}

std::string other_wheels_text(const std::vector<publish::IndexFile>& files,
                              const pep::Requirement& release) {
  const auto wheels = std::ranges::count_if(files, [&](const publish::IndexFile& file) {
    const std::optional<pep::Version> version = publish::version_of_file(file.filename);
    return file.filename.ends_with(".whl") && version &&
           pep::satisfies(*version, release.specifiers);
  });
  if (wheels < 2) return "the only wheel of that version";
  return fmt::format("of {} wheels of that version; pass the URL of another to read that one",
                     wheels);
}

Result<FileArgument> open_release(const prepare::Host& host, const pep::Requirement& release,
                                  const OpenManner& manner, Streams& streams) {
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::reading_options(host.variables), streams.log(), {});
  const std::string arch = host::machine_name();
  std::string others;
  const auto choose = [&](const std::vector<publish::IndexFile>& files) {
    others = other_wheels_text(files, release);
    return publish::choose_wheel(files, release.name, release.specifiers.front(), arch);
  };
  const auto mask = [&streams](const auto& secret) { streams.mask(secret); };
  TRY(host::IndexCandidate found,
      host::find_on_indexes(*http, indexes_for(host, manner.index, streams), release.name, choose,
                            mask));
  streams.note(fmt::format("{} is {}\n", found.file.filename, others));
  if (const auto path = host::local_file(found)) return FileArgument{{*path}};
  const auto sha256 = found.file.hashes.find("sha256");
  TRY(host::WheelAddress address, host::parse_wheel_address(found.url));
  if (sha256 != found.file.hashes.end()) address.sha256 = sha256->second;
  const WheelPlace place{std::move(address), std::move(found.index), found.file.size};
  return manner.part == WheelPart::whole ? download(host, place, streams)
                                         : open_in_parts(host, place, streams);
}

}  // namespace

Result<FileArgument> open_argument(const prepare::Host& host, const std::string& text,
                                   const OpenManner& manner, Streams& streams) {
  if (is_address(text)) return open_address(host, text, manner.part, streams);
  const bool exists = host.files.resolved_type(text) != ports::FileType::missing;
  const std::optional<pep::Requirement> release = pinned_release(text);
  if (release && !exists) return open_release(host, *release, manner, streams);
  return FileArgument{{text}};
}

Result<inspect::WheelFacts> facts_of(const FileArgument& argument,
                                     const inspect::GatherOptions& options, Streams& streams) {
  if (!argument.remote) return host::inspect_path(argument.input, options);
  const RemoteWheel& remote = *argument.remote;
  Result<inspect::WheelFacts> facts =
      host::inspect_remote(*remote.file, remote.name, remote.sha256, options);
  if (facts) {
    streams.note(fmt::format("fetched {} of {} in {}\n", format_bytes(remote.file->bytes_fetched()),
                             format_bytes(remote.file->size()),
                             plural(remote.file->requests(), "request")));
  }
  return facts;
}

Done check_index_option(const std::string& index, const std::vector<std::string>& files) {
  const bool used = std::ranges::any_of(
      files, [](const std::string& file) { return pinned_release(file).has_value(); });
  if (index.empty() || used) return {};
  return fail(ErrorKind::usage, "`--index` is for a release on an index",
              "pass the release as `NAME==VERSION`");
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
