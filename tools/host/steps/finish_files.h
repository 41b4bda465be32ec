#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/settings.h"
#include "plan/outcome.h"
#include "wheel/naming.h"

namespace pinwheel::host {

/// What a finished wheel is to be.
struct FinishRequest {
  wheel::Naming naming;  ///< an empty name or version keeps the wheel's own
  int64_t epoch = 0;
  std::string requirement = {};  ///< "torch>=2.10"; empty: untouched
  std::string record_json = {};  ///< contents of pinwheel.json; empty: none
};

/// Rewrites a built wheel reproducibly under its final name, with the lowest platform tag that its
/// binaries justify, and puts it into `output` as a whole. The same bytes there already are
/// success.
Result<plan::Output> finish_wheel(const std::filesystem::path& built, const FinishRequest& request,
                                  const std::filesystem::path& output);

struct SdistRequest {
  std::string distribution = {};  ///< what its PKG-INFO must say; empty: not compared
  std::string version = {};
  int64_t epoch = 0;
};

/// The same for an sdist: sorted members, one time, no owner.
Result<plan::Output> finish_sdist(const std::filesystem::path& built, const SdistRequest& request,
                                  const std::filesystem::path& output);

/// Copies a finished file into `output` as a whole: readers see the old file, none, or the new one.
Result<plan::Output> put_into(const std::filesystem::path& file,
                              const std::filesystem::path& output);

}  // namespace pinwheel::host
