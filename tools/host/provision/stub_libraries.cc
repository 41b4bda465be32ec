#include "host/provision/stub_libraries.h"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string_view>

#include "base/text.h"
#include "binary/elf.h"
#include "binary/shared_object.h"
#include "env/stubs.h"
#include "host/system/file_source.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

bool is_library(std::string_view name) {
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos;
}

/// The names in a directory; empty if there is no directory.
std::vector<std::string> names_in(const EnvMachine& machine, const fs::path& directory) {
  return machine.files.list(directory).value_or(std::vector<std::string>());
}

Result<std::vector<env::TorchLibrary>> read_torch(const EnvMachine& machine,
                                                  const fs::path& directory) {
  std::vector<env::TorchLibrary> libraries;
  for (const std::string& name : names_in(machine, directory)) {
    if (!is_library(name)) continue;
    TRY(const std::unique_ptr<FileSource> source, FileSource::open(directory / name));
    Result<binary::Elf> elf = binary::read_elf(*source);
    if (!elf) {
      elf.error().message = fmt::format("{} of torch: {}", quoted(name), elf.error().message);
      return fail(std::move(elf).error());
    }
    libraries.push_back({name, std::move(*elf)});
  }
  return libraries;
}

/// The libraries in NVIDIA packages: nvidia/cu13/lib, nvidia/cudnn/lib.
std::set<std::string> bundled(const EnvMachine& machine, const fs::path& site_packages) {
  std::set<std::string> found;
  for (const std::string& package : names_in(machine, site_packages / "nvidia")) {
    for (const std::string& name : names_in(machine, site_packages / "nvidia" / package / "lib")) {
      if (is_library(name)) found.insert(name);
    }
  }
  return found;
}

}  // namespace

Result<StubLibraries> write_stub_libraries(const EnvMachine& machine, const fs::path& site_packages,
                                           const fs::path& directory) {
  TRY(const std::vector<env::TorchLibrary> torch,
      read_torch(machine, site_packages / "torch" / "lib"));
  TRY_DONE(machine.files.make_directories(directory));
  StubLibraries written;
  for (const binary::SharedObject& library :
       env::stub_libraries(torch, bundled(machine, site_packages))) {
    TRY(const std::string bytes, binary::write_shared_object(library));
    TRY_DONE(machine.files.write(directory / library.soname, bytes, 0755));
    written.names.push_back(library.soname);
    written.symbols += library.exports.size();
    written.bytes += bytes.size();
  }
  return written;
}

}  // namespace pinwheel::host
