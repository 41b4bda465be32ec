#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "host/net/remote_file.h"
#include "inspect/difference.h"
#include "inspect/gather.h"

namespace pinwheel::host {

/// A file to inspect.
struct InputFile {
  std::filesystem::path path;
  std::string name = {};  ///< display name; empty: the name in its path
};

/// The contents of a path: a wheel, a shared library, an object, or a directory with ELF files at
/// any depth. Errors name the path.
Result<inspect::WheelFacts> inspect_path(const InputFile& file,
                                         const inspect::GatherOptions& options);

/// The contents of a wheel. Errors name the path.
Result<inspect::WheelFacts> inspect_wheel(const InputFile& file,
                                          const inspect::GatherOptions& options = {});

/// The contents of a wheel on a server, of which only the members are fetched that the facts depend
/// on (`inspect::is_examined`), and those between them: `WheelFacts::partial` says what was not
/// read, unless everything was fetched. Then the file must have the digest `sha256`, hexadecimal,
/// unless that is empty. Errors name the file.
Result<inspect::WheelFacts> inspect_remote(const RemoteFile& file, const std::string& name,
                                           const std::string& sha256,
                                           inspect::GatherOptions options);

struct ComparedWheels {
  inspect::WheelFacts old_wheel;
  inspect::WheelFacts new_wheel;
  inspect::WheelDifference difference;
};
/// The differences between two wheels.
Result<ComparedWheels> compare_wheels(const InputFile& old_file, const InputFile& new_file,
                                      const inspect::GatherOptions& options = {});

}  // namespace pinwheel::host
