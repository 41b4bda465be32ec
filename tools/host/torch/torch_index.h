#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exports/table.h"
#include "host/net/get_remote.h"
#include "host/net/remote_file.h"
#include "host/torch/torch_wheel.h"

namespace pinwheel::host {

/// A simple index (PEP 503) to read from: its address, which ends in `/`. `pypi` is PyPI. Kind
/// `usage` for what is no http or https address.
Result<RemoteAddress> parse_index(std::string_view text);

/// One of torch's wheels on an index.
struct TorchFile {
  std::string filename;
  std::string url;
  TorchWheel wheel;
};
/// torch's wheels for Linux on an index, of several with one name but for the build tag the one
/// with the highest; `config` when the index has no page about torch.
Result<std::vector<TorchFile>> list_torch_wheels(const RemoteAccess& access,
                                                 const std::string& index);

/// One build, and the wheels that it is read from.
struct BuildToRead {
  exports::Build build;
  std::vector<TorchFile> wheels;
  TorchLibraries first = TorchLibraries::all;  ///< of the first wheel; of the others, `of_python`
};

struct TorchWanted {
  std::string version;                    ///< as a wheel's name has it, "2.13.0", "2.13.0+cpu"
  std::string arch = {};                  ///< empty: each that there is
  std::vector<std::string> pythons = {};  ///< "3.11", "3.13t", "cp311"; empty: each that there is
};
/// Kind `config` when the index has no such wheels; the hint names what it has.
Result<std::vector<BuildToRead>> choose_wheels(const std::vector<TorchFile>& files,
                                               const TorchWanted& wanted);
/// The releases from `oldest` on that are no pre-releases and that the table lacks, or some of
/// whose Pythons it lacks.
std::vector<BuildToRead> missing_builds(const std::vector<TorchFile>& files,
                                        const exports::Table& table, std::string_view oldest);

struct BuildRead {
  exports::Snapshot snapshot;
  uint64_t bytes = 0;  ///< that came over the network
};
/// Reads the wheels of a build at the same time.
Result<BuildRead> read_build(const RemoteAccess& access, const WholeFiles& whole,
                             const BuildToRead& build);

}  // namespace pinwheel::host
