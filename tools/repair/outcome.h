#pragma once
#include <string>
#include <vector>

#include "repair/repair_plan.h"
#include "repair/sbom.h"

namespace pinwheel::repair {

/// A planned repair with the known facts about the origin of the grafts.
struct Outcome {
  std::string wheel;      ///< file name
  std::string file_name;  ///< after the repair
  RepairPlan plan;
  std::vector<Component> components = {};  ///< in the order of the plan's grafts
};

/// The files with the licenses of grafted packages, by name below `licenses/` of the dist-info
/// directory: "demo.libs/libjpeg62-turbo/copyright".
std::vector<LicenseFile> license_files(const Outcome& outcome);

/// A description of the repair, a line for each graft, edit, requirement and note, and the
/// resulting tag.
std::string to_text(const Outcome& outcome);

}  // namespace pinwheel::repair
