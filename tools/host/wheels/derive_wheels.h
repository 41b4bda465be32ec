#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "inspect/variant_properties.h"
#include "plan/outcome.h"
#include "wheel/derivation.h"
#include "wheel/pinned_requirements.h"

namespace pinwheel::host {

struct DeriveRequest {
  std::vector<std::string> files;  ///< wheels, which may require each other
  wheel::NamingRule rule;
  int64_t epoch = 0;
  std::string requirement = {};            ///< "torch>=2.10"; empty: unchanged
  std::string record_json = {};            ///< replaces the build record; empty: unchanged
  std::vector<std::string> external = {};  ///< as in `FinishRequest`
  wheel::Pins pins = {};                   ///< of every wheel
  /// Makes wheel variants; the label may contain `{label}`, the local version.
  std::optional<inspect::VariantRequest> variant = std::nullopt;
};

struct DerivedWheel {
  plan::Output output;
  wheel::Derivation derivation;
  std::vector<Error> warnings = {};
};

/// Writes wheels with the code of the given ones under new names. All are checked before the first
/// one is written, and all are written and compared with their originals before the first one gets
/// its name; after an error there is none. Platform tags are kept, except `linux_*`, which PyPI
/// rejects. Kind `usage` if two wheels would get one name, and `check` if a wheel is invalid, if
/// anything but its name, version and requirements would differ, or if another file has the name.
Result<std::vector<DerivedWheel>> derive_wheels(const DeriveRequest& request,
                                                const std::filesystem::path& output,
                                                const std::stop_token& stop);

}  // namespace pinwheel::host
