#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/gather.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "host/machine/workplace.h"
#include "plan/make_plan.h"
#include "plan/outline.h"

namespace pinwheel::cli {

/// One variant of a matrix, with all that its steps need gathered and resolved.
struct OneVariant {
  std::string id;
  Loaded loaded;
  plan::Outline outline;
  Facts facts;
  host::Workplace workplace;
  plan::PlanOptions options;
  plan::Plan plan;  ///< its environment, its build, and with `Stage::test` its test
};

/// Which variant, and how its environments are made.
struct OneVariantRequest {
  const std::string& command;                 ///< "env shell", for errors
  const std::vector<std::string>& arguments;  ///< an id, and perhaps a matrix file
  const LevelOptions& levels;
  plan::Stage stage = plan::Stage::build;
  UseLocks locks = UseLocks::yes;
};

/// Loads, gathers and plans it: images are made, packages are resolved, nothing is built. `usage`
/// with the nearest name for an id that the matrix has not.
Result<OneVariant> gather_variant(const GlobalOptions& global, const OneVariantRequest& request,
                                  Streams& streams);

/// The outline of the one variant that an id means: a variant's own, "test:VARIANT", or
/// "build:CLASS" for the variant that represents the class.
Result<plan::Outline> outline_of(const Loaded& loaded, const std::string& id);

}  // namespace pinwheel::cli
