#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "inspect/platform_tag.h"
#include "inspect/variant_properties.h"
#include "matrix/settings.h"
#include "plan/outcome.h"
#include "ports/large_memory.h"
#include "store/derived_file.h"
#include "wheel/archive.h"
#include "wheel/contents.h"
#include "wheel/naming.h"

namespace pinwheel::host {

/// The properties of the finished wheel.
struct FinishRequest {
  wheel::Naming naming;  ///< the wheel's own name or version if empty; its pins
  int64_t epoch = 0;
  std::string requirement = {};            ///< "torch>=2.10"; empty: unchanged
  std::string record_json = {};            ///< contents of pinwheel.json; empty: none
  std::vector<std::string> external = {};  ///< sonames or globs of libraries that others provide
  std::optional<inspect::VariantRequest> variant = std::nullopt;  ///< makes it a wheel variant
};

/// The `variant.json` of a wheel, with the properties of its binaries. `record_json` is the record
/// of its build if the wheel does not have one yet.
Result<std::string> variant_json_of(const wheel::WheelArchive& wheel,
                                    const inspect::VariantRequest& variant,
                                    const std::string& record_json);

/// A finished wheel, and the known facts about its contents.
struct FinishedBuild {
  plan::Output output;
  std::set<std::string> needed = {};   ///< names that its libraries need
  wheel::WheelContents contents = {};  ///< as read back from its file
};

/// The libraries of a wheel that complies with a manylinux or musllinux policy, and its tag.
struct FinishedPlatform {
  std::vector<inspect::ElfMember> libraries = {};
  std::string tag;  ///< the lowest that the libraries allow
};
/// Kind `check` if the libraries comply with no policy.
Result<FinishedPlatform> finished_platform(const wheel::WheelArchive& built,
                                           const std::vector<std::string>& external,
                                           ports::LargeMemories& memories);

/// Rewrites a built wheel reproducibly with its final name and the lowest platform tag that its
/// binaries allow, and writes it into `output` atomically. It is not an error if `output` has the
/// same bytes already.
Result<FinishedBuild> finish_wheel(const std::filesystem::path& built, const FinishRequest& request,
                                   const std::filesystem::path& output);

/// Compares the wheels that one build was finished as, under several names: each after the first is
/// derived from the first. Kind `check` if one has other contents.
Result<std::vector<store::DerivedFile>> compare_finished(const std::vector<FinishedBuild>& builds);

struct FinishSdistRequest {
  std::string distribution = {};  ///< the name required in its PKG-INFO; empty: not checked
  std::string version = {};
  int64_t epoch = 0;
};

/// The same for an sdist: sorted members, a single timestamp, no owner.
Result<plan::Output> finish_sdist(const std::filesystem::path& built,
                                  const FinishSdistRequest& request,
                                  const std::filesystem::path& output);

/// Copies a finished file into `output` atomically: readers see the old file, none, or the new one.
Result<plan::Output> put_into(const std::filesystem::path& file,
                              const std::filesystem::path& output);

}  // namespace pinwheel::host
