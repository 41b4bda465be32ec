#include "host/torch/torch_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "base/text.h"
#include "base/url.h"
#include "exports/listing.h"
#include "pep/pypi.h"
#include "pep/version.h"
#include "pep/wheel_name.h"
#include "publish/reply.h"
#include "publish/simple_page.h"

namespace pinwheel::host {
namespace {

constexpr int kPageIsThere = 200;

/// Sorts by version, then architecture, then Python number: cp39 before cp310.
bool stands_before(const TorchWheel& a, const TorchWheel& b) {
  if (!(a.build == b.build)) return exports::before(a.build, b.build);
  return exports::python_before(a.python, b.python);
}

/// "cp311" for "3.11" and "cp311".
std::string python_tag(const std::string& python) {
  return python.starts_with("cp") ? python : "cp" + replace_all(python, ".", "");
}

/// The wheels grouped by build, in ascending order.
std::vector<BuildToRead> by_build(const std::vector<TorchFile>& files) {
  std::vector<BuildToRead> builds;
  for (const TorchFile& file : files) {
    if (builds.empty() || !(builds.back().build == file.wheel.build)) {
      builds.push_back({file.wheel.build, {}});
    }
    builds.back().wheels.push_back(file);
  }
  return builds;
}

/// Newest first: only a few are shown, and old ones are rarely needed.
std::vector<std::string> versions_of(const std::vector<TorchFile>& files) {
  std::vector<std::string> versions;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    const std::string& version = file->wheel.build.version;
    if (versions.empty() || versions.back() != version) versions.push_back(version);
  }
  return versions;
}

/// The Python tags that the table has for a build; nullopt if it does not have the build.
std::optional<std::set<std::string>> known_pythons(const exports::Table& table,
                                                   const exports::Build& build) {
  std::optional<std::set<std::string>> pythons;
  for (const exports::Record& record : table.libraries()) {
    if (!(table.builds()[record.build] == build)) continue;
    if (!pythons) pythons.emplace();
    pythons->insert(record.python);
  }
  return pythons;
}

Result<BuildRead> read_one(const RemoteAccess& access, const WholeFiles& whole,
                           const TorchFile& file, TorchLibraries which) {
  TRY(const std::unique_ptr<RemoteFile> source, RemoteFile::open(access, whole, file.url));
  TRY(exports::Snapshot snapshot, read_torch_wheel(*source, file.filename, which));
  return BuildRead{std::move(snapshot), source->bytes_fetched()};
}

}  // namespace

Result<RemoteAddress> parse_index(std::string_view text) {
  std::optional<RemoteAddress> address =
      parse_address(text == "pypi" ? pep::simple_url(pep::kPypiHost) : std::string(text));
  if (!address) {
    return fail(ErrorKind::usage, fmt::format("{} is not the URL of an index", quoted(text)),
                "pass `pypi`, or a URL such as `https://download.pytorch.org/whl/cpu`");
  }
  if (!address->url.ends_with('/')) address->url += '/';
  return *std::move(address);
}

Result<std::vector<TorchFile>> list_torch_wheels(const RemoteAccess& access,
                                                 const std::string& index) {
  TRY(const RemoteReply page, get_remote(access, index + "torch/", [](ports::HttpRequest& request) {
        request.headers.emplace_back("Accept", std::string(publish::kAcceptSimple));
      }));
  if (page.reply.status != kPageIsThere) return fail(unexpected_answer(page));
  TRY(const std::vector<publish::IndexFile> listed,
      publish::parse_simple_page(publish::header(page.reply, "content-type"), page.reply.body));
  struct Newest {
    pep::BuildTag tag;
    TorchFile file;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Newest> newest;
  for (const publish::IndexFile& file : listed) {
    const std::optional<TorchWheel> wheel = parse_torch_wheel(file.filename);
    if (!wheel) continue;
    const pep::BuildTag tag =
        pep::parse_wheel_name(file.filename).value().build.value_or(pep::BuildTag{});
    Newest found{tag, {file.filename, resolve_url(page.url, file.url), *wheel}};
    const auto key = std::tuple(wheel->build.version, wheel->build.arch, wheel->python);
    const auto [place, added] = newest.try_emplace(key, found);
    if (!added && place->second.tag < tag) place->second = std::move(found);
  }
  std::vector<TorchFile> files;
  files.reserve(newest.size());
  for (auto& [key, found] : newest) files.push_back(std::move(found.file));
  std::sort(files.begin(), files.end(),
            [](const TorchFile& a, const TorchFile& b) { return stands_before(a.wheel, b.wheel); });
  return files;
}

Result<std::vector<BuildToRead>> choose_wheels(const std::vector<TorchFile>& files,
                                               const TorchWanted& wanted) {
  TRY(const pep::Version version, pep::parse_version(wanted.version));
  std::set<std::string> pythons;
  for (const std::string& python : wanted.pythons) pythons.insert(python_tag(python));
  std::vector<TorchFile> chosen;
  for (const TorchFile& file : files) {
    const bool right_version = pep::parse_version(file.wheel.build.version).value() == version;
    const bool right_arch = wanted.arch.empty() || file.wheel.build.arch == wanted.arch;
    const bool right_python = pythons.empty() || pythons.contains(file.wheel.python);
    if (right_version && right_arch && right_python) chosen.push_back(file);
  }
  if (chosen.empty()) {
    std::vector<std::string> limits = {wanted.arch, join(wanted.pythons, ", ")};
    std::erase(limits, "");
    const std::string what = limits.empty() ? "" : fmt::format(" for {}", join(limits, " "));
    return fail(ErrorKind::config,
                fmt::format("the index has no wheel of torch {}{}", wanted.version, what),
                suggest(wanted.version, versions_of(files)));
  }
  return by_build(chosen);
}

std::vector<BuildToRead> missing_builds(const std::vector<TorchFile>& files,
                                        const exports::Table& table, std::string_view oldest) {
  const pep::Version first = pep::parse_version(oldest).value();
  std::vector<BuildToRead> missing;
  for (BuildToRead& build : by_build(files)) {
    const pep::Version version = pep::parse_version(build.build.version).value();
    if (version < first || pep::is_prerelease(version)) continue;
    if (const auto known = known_pythons(table, build.build)) {
      build.first = TorchLibraries::of_python;
      std::erase_if(build.wheels,
                    [&](const TorchFile& file) { return known->contains(file.wheel.python); });
    }
    if (!build.wheels.empty()) missing.push_back(std::move(build));
  }
  return missing;
}

Result<BuildRead> read_build(const RemoteAccess& access, const WholeFiles& whole,
                             const BuildToRead& build) {
  std::vector<std::future<Result<BuildRead>>> reading;
  for (size_t i = 0; i < build.wheels.size(); ++i) {
    const TorchLibraries which = i == 0 ? build.first : TorchLibraries::of_python;
    reading.push_back(std::async(std::launch::async, [&, i, which] {
      return read_one(access, whole, build.wheels[i], which);
    }));
  }
  BuildRead all{{build.build}};
  std::optional<Error> failure;
  for (std::future<Result<BuildRead>>& each : reading) {
    Result<BuildRead> read = each.get();
    if (!read) {
      if (!failure) failure = std::move(read).error();
      continue;
    }
    all.bytes += read->bytes;
    std::move(read->snapshot.libraries.begin(), read->snapshot.libraries.end(),
              std::back_inserter(all.snapshot.libraries));
  }
  if (failure) return fail(*std::move(failure));
  return all;
}

namespace {

constexpr int kAnswered = 200;
/// File servers answer with either of these for a missing page.
constexpr int kForbidden = 403;
constexpr int kMissing = 404;

}  // namespace

Result<std::optional<std::vector<exports::TorchBuild>>> torch_page(const RemoteAccess& access,
                                                                   const std::string& index) {
  TRY(const RemoteReply page, get_remote(access, index + "torch/", [](ports::HttpRequest& request) {
        request.headers.emplace_back("Accept", std::string(publish::kAcceptSimple));
      }));
  const long status = page.reply.status;
  if (status == kForbidden || status == kMissing) return std::nullopt;
  if (status != kAnswered) return fail(unexpected_answer(page));
  TRY(const std::vector<publish::IndexFile> files,
      publish::parse_simple_page(publish::header(page.reply, "content-type"), page.reply.body));
  std::vector<exports::TorchBuild> builds;
  for (const publish::IndexFile& file : files) {
    if (std::optional<exports::TorchBuild> build = exports::torch_build(file.filename)) {
      builds.push_back(*std::move(build));
    }
  }
  return builds;
}

}  // namespace pinwheel::host
