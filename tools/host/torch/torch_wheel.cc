#include "host/torch/torch_wheel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/limits.h"
#include "base/text.h"
#include "binary/dynamic_landmark.h"
#include "binary/elf_exports.h"
#include "env/pass_list.h"
#include "host/system/file_source.h"
#include "pep/name.h"
#include "pep/wheel_name.h"
#include "wheel/member_source.h"
#include "wheel/metadata.h"
#include "wheel/zip_reader.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

Result<fs::path> torch_site(const fs::path& place, ports::Files& files) {
  TRY(const ports::FileStatus below, files.status(place / "torch"));
  if (below.type != ports::FileType::missing) return place;
  const fs::path named = place.has_filename() ? place : place.parent_path();
  return fs::absolute(named).parent_path();
}

Result<fs::path> torch_site_of(const std::string& python, ports::Process& process,
                               const std::map<std::string, std::string>& variables) {
  TRY(const ports::Captured ran,
      process.capture({{python, "-c",
                        "import importlib.util as u, os\n"
                        "print(os.path.dirname(os.path.dirname(u.find_spec('torch').origin)))"},
                       {},
                       env::variables_for(env::Helper::python, env::helper_variables(variables))}));
  const std::string site(trim(ran.out));
  if (ran.exit.ok() && !site.empty()) return fs::path(site);
  return fail(ErrorKind::environment, fmt::format("{} has no torch", pinwheel::quoted(python)),
              "pass the Python of an environment that has torch installed");
}

namespace {

constexpr std::array<std::string_view, 2> kArchitectures = {"x86_64", "aarch64"};
/// Library directories below site-packages; auditwheel puts bundled libraries next to torch.
constexpr std::array<std::string_view, 3> kPlaces = {"torch/lib/", "torch/", "torch.libs/"};

/// "libtorch_cpu.so" for "torch/lib/libtorch_cpu.so"; empty for anything but a torch library.
std::string_view library_name(std::string_view path) {
  for (const std::string_view place : kPlaces) {
    if (!path.starts_with(place)) continue;
    const std::string_view name = path.substr(place.size());
    if (name.find('/') != std::string_view::npos) continue;
    const size_t suffix = name.find(".so");
    const bool library = name.starts_with("lib") && suffix != std::string_view::npos &&
                         (suffix + 3 == name.size() || name[suffix + 3] == '.');
    if (library) return name;
  }
  return {};
}

exports::Library to_library(const binary::ElfExports& read, std::string_view name,
                            const std::string& python) {
  exports::Library library{read.soname.empty() ? std::string(name) : read.soname};
  if (library.soname == exports::kPythonLibrary) library.python = python;
  library.needed = read.needed;
  library.symbols.reserve(read.names.size());
  for (const std::string& symbol : read.names) {
    library.symbols.push_back(exports::symbol_hash(symbol));
  }
  return library;
}

Result<binary::ElfExports> read_member(const wheel::ZipReader& zip,
                                       const wheel::ZipMember& member) {
  TRY(const std::unique_ptr<wheel::MemberSource> source, wheel::MemberSource::open(zip, member));
  // The dynamic section is followed by tens of megabytes of symbol names that are not needed.
  if (const Result<binary::DynamicLandmark> mark = binary::DynamicLandmark::of(*source)) {
    TRY_DONE(source->seek({mark->offset(), mark->offset() + mark->size()},
                          [&](std::string_view stretch) { return mark->locate(stretch); }));
  }
  Result<binary::ElfExports> read = binary::read_exports(*source);
  if (read || read.error().kind != ErrorKind::check) return read;
  // Its boundaries may have been guessed wrong.
  TRY_DONE(source->read_whole());
  return binary::read_exports(*source);
}

tl::unexpected<Error> unreadable(std::string_view name, Error cause) {
  Error error{cause.kind, fmt::format("the exports of {} cannot be read", quoted(name))};
  return fail(std::move(error).with_cause(std::move(cause)));
}

tl::unexpected<Error> nothing_in(const std::string& place) {
  return fail(ErrorKind::config, fmt::format("{} contains no torch libraries", quoted(place)));
}

/// "cp311" for "_C.cpython-311-x86_64-linux-gnu.so", and its architecture.
std::optional<std::pair<std::string, std::string>> parse_extension(std::string_view name) {
  constexpr std::string_view kHead = "_C.cpython-";
  if (!name.starts_with(kHead)) return std::nullopt;
  name.remove_prefix(kHead.size());
  const size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view rest = name.substr(dash + 1);
  const auto arch = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                 [&](std::string_view each) { return rest.starts_with(each); });
  if (arch == kArchitectures.end()) return std::nullopt;
  return std::pair("cp" + std::string(name.substr(0, dash)), std::string(*arch));
}

/// The installed torch's build and Python tag.
Result<TorchWheel> installed_torch(const fs::path& site, ports::Files& files) {
  TorchWheel torch;
  TRY(const std::vector<std::string> entries, files.list(site));
  for (const std::string& name : entries) {
    if (!name.starts_with("torch-") || !name.ends_with(".dist-info")) continue;
    TRY(const std::string text, files.read(site / name / "METADATA", limits::kMetadata));
    TRY(const wheel::Metadata metadata, wheel::parse_metadata(text));
    TRY(const pep::Version version, pep::parse_version(metadata.version()));
    torch.build.version = pep::to_string(version);
  }
  TRY(const std::vector<std::string> inside, files.list(site / "torch"));
  for (const std::string& name : inside) {
    if (const auto found = parse_extension(name)) std::tie(torch.python, torch.build.arch) = *found;
  }
  if (torch.build.version.empty() || torch.python.empty()) {
    return fail(ErrorKind::config,
                fmt::format("{} has no torch that pip installed", quoted(site.string())),
                "pass the location shown by `pip show torch`, or a wheel");
  }
  return torch;
}

}  // namespace

std::optional<TorchWheel> parse_torch_wheel(std::string_view filename) {
  const Result<pep::WheelName> name = pep::parse_wheel_name(filename);
  if (!name || !name->variant.empty() || pep::normalize_name(name->distribution) != "torch" ||
      name->tags.abi.size() != 1) {
    return std::nullopt;
  }
  const std::string& platform = name->tags.platform.front();
  std::string python = name->tags.abi.front();
  if (python.ends_with('m')) python.pop_back();  // until Python 3.7: built with pymalloc
  for (const std::string_view arch : kArchitectures) {
    if (platform.find("linux") != std::string::npos &&
        platform.ends_with("_" + std::string(arch))) {
      return TorchWheel{{pep::to_string(name->version), std::string(arch)}, python};
    }
  }
  return std::nullopt;
}

Result<exports::Snapshot> read_torch_wheel(const ports::ByteSource& source,
                                           std::string_view filename, TorchLibraries which) {
  const std::optional<TorchWheel> torch = parse_torch_wheel(filename);
  if (!torch) {
    return fail(
        ErrorKind::config,
        fmt::format("{} is not a torch wheel for Linux on x86_64 or aarch64", quoted(filename)));
  }
  TRY(const wheel::ZipReader zip, wheel::ZipReader::open(source));
  exports::Snapshot snapshot{torch->build};
  for (const wheel::ZipMember& member : zip.members()) {
    const std::string_view name = library_name(member.name);
    if (name.empty() || (which == TorchLibraries::of_python && name != exports::kPythonLibrary))
      continue;
    Result<binary::ElfExports> read = read_member(zip, member);
    if (!read) return unreadable(member.name, std::move(read).error());
    snapshot.libraries.push_back(to_library(*read, name, torch->python));
  }
  if (snapshot.libraries.empty()) return nothing_in(std::string(filename));
  return snapshot;
}

Result<exports::Snapshot> read_torch_directory(const fs::path& directory, ports::Files& files) {
  TRY(const fs::path site, torch_site(directory, files));
  TRY(const ports::FileStatus torch_status, files.status(site / "torch"));
  if (torch_status.type == ports::FileType::missing) return nothing_in(directory.string());
  TRY(const TorchWheel torch, installed_torch(site, files));
  exports::Snapshot snapshot{torch.build};
  for (const std::string_view place : kPlaces) {
    TRY(const ports::FileStatus status, files.status(site / place));
    if (status.type == ports::FileType::missing) continue;
    TRY(const std::vector<std::string> names, files.list(site / place));
    for (const std::string& file : names) {
      const std::string path = std::string(place) + file;
      if (library_name(path).empty()) continue;
      TRY(const auto source, FileSource::open(site / path));
      Result<binary::ElfExports> read = binary::read_exports(*source);
      if (!read) return unreadable(path, std::move(read).error());
      snapshot.libraries.push_back(to_library(*read, file, torch.python));
    }
  }
  if (snapshot.libraries.empty()) return nothing_in(directory.string());
  return snapshot;
}

}  // namespace pinwheel::host
