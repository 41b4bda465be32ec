#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exports/table.h"
#include "exports/upstream.h"
#include "host/net/get_remote.h"
#include "host/net/remote_file.h"
#include "host/torch/torch_wheel.h"

namespace pinwheel::host {

/// The URL of a simple index (PEP 503), ending in `/`. `pypi` is PyPI. Kind `usage` for anything
/// but an http or https URL.
Result<RemoteAddress> parse_index(std::string_view text);

/// A torch wheel on an index.
struct TorchFile {
  std::string filename;
  std::string url;
  TorchWheel wheel;
};
/// The torch wheels for Linux on an index; of several that differ only in the build tag, the one
/// with the highest. `config` if the index has no page for torch.
Result<std::vector<TorchFile>> list_torch_wheels(const RemoteAccess& access,
                                                 const std::string& index);

/// A build, and the wheels to read it from.
struct BuildToRead {
  exports::Build build;
  std::vector<TorchFile> wheels;
  TorchLibraries first = TorchLibraries::all;  ///< for the first wheel; `of_python` for the others
};

struct TorchWanted {
  std::string version;                    ///< as in a wheel's file name, "2.13.0", "2.13.0+cpu"
  std::string arch = {};                  ///< empty: all
  std::vector<std::string> pythons = {};  ///< "3.11", "3.13t", "cp311"; empty: all
};
/// Kind `config` if the index has no such wheels; the hint lists those that it has.
Result<std::vector<BuildToRead>> choose_wheels(const std::vector<TorchFile>& files,
                                               const TorchWanted& wanted);
/// The final releases since `oldest` that are missing from the table, completely or for some
/// Pythons.
std::vector<BuildToRead> missing_builds(const std::vector<TorchFile>& files,
                                        const exports::Table& table, std::string_view oldest);

struct BuildRead {
  exports::Snapshot snapshot;
  uint64_t bytes = 0;  ///< downloaded
};
/// Reads the wheels of a build in parallel.
Result<BuildRead> read_build(const RemoteAccess& access, const WholeFiles& whole,
                             const BuildToRead& build);

/// The builds of torch on an index, by the names on its page; nullopt if it has no page for torch.
/// `transient` or `environment` if it does not respond.
Result<std::optional<std::vector<exports::TorchBuild>>> torch_page(const RemoteAccess& access,
                                                                   const std::string& index);

}  // namespace pinwheel::host
