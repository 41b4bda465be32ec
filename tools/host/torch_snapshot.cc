#include "host/torch_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/text.h"
#include "binary/elf.h"
#include "host/file_source.h"
#include "host/files.h"
#include "pep/tag.h"
#include "pep/version.h"
#include "wheel/wheel_file.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPythonLibrary = "libtorch_python.so";

/// "torch-2.13.0+cpu.dist-info" taken apart, and where it lies.
struct Installed {
  fs::path directory;
  std::string version;
};

Result<Installed> find_metadata(const fs::path& site_packages) {
  constexpr std::string_view kBefore = "torch-";
  constexpr std::string_view kAfter = ".dist-info";
  LocalFiles files;
  TRY(const std::vector<std::string> names, files.list(site_packages));
  for (const std::string& name : names) {
    if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) continue;
    const std::string text =
        name.substr(kBefore.size(), name.size() - kBefore.size() - kAfter.size());
    TRY(const pep::Version version, pep::parse_version(text));
    return Installed{site_packages / name, pep::to_string(version)};
  }
  return fail(ErrorKind::config,
              fmt::format("there is no torch in {}", quoted(site_packages.string())),
              "name the site-packages directory of an environment that has torch");
}

/// "cp311", "cp313t": the ABI that the wheel was for.
Result<std::string> python_tag(const fs::path& metadata) {
  LocalFiles files;
  TRY(const std::string text, files.read(metadata / "WHEEL"));
  TRY(const wheel::WheelFile wheel, wheel::parse_wheel_file(text));
  TRY(const pep::TagSet tags, pep::parse_tags(wheel.tags().front()));
  return tags.abi.front();
}

Result<exports::Library> read_library(const fs::path& path, const std::string& python) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(path));
  TRY(binary::Elf elf, binary::read_elf(*source));
  exports::Library out;
  out.soname = elf.soname.empty() ? path.filename().string() : elf.soname;
  if (out.soname == kPythonLibrary) out.python = python;
  out.needed = std::move(elf.needed);
  out.symbols.reserve(elf.defined.size());
  for (const binary::Symbol& symbol : elf.defined) {
    out.symbols.push_back(exports::symbol_hash(symbol.name));
  }
  return out;
}

std::string machine_of(const fs::path& library) {
  const auto read = [&library]() -> Result<std::string> {
    TRY(const std::unique_ptr<FileSource> source, FileSource::open(library));
    TRY(const binary::Elf elf, binary::read_elf(*source));
    return binary::machine_name(elf.machine);
  };
  return read().value_or("");
}

}  // namespace

Result<exports::Snapshot> read_installed_torch(const fs::path& site_packages) {
  TRY(const Installed installed, find_metadata(site_packages));
  TRY(const std::string python, python_tag(installed.directory));
  const fs::path directory = site_packages / "torch" / "lib";
  exports::Snapshot out{{installed.version, machine_of(directory / "libc10.so")}};
  LocalFiles files;
  TRY(std::vector<std::string> names, files.list(directory));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const bool library = name.ends_with(".so") || name.find(".so.") != std::string::npos;
    if (!library) continue;
    TRY(exports::Library read, read_library(directory / name, python));
    out.libraries.push_back(std::move(read));
  }
  return out;
}

}  // namespace pinwheel::host
