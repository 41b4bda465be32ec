#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "compat/run_result.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::compat {

/// The order of opening one library of a wheel: first the wheel's own libraries that it needs,
/// because packages open theirs in order, or find them by a search path.
struct OpenOrder {
  std::string member;              ///< in the wheel
  std::vector<std::string> paths;  ///< relative to site-packages; the last is the library itself
};

/// The shared libraries that a wheel installs in site-packages, in wheel order.
std::vector<OpenOrder> open_orders(const inspect::WheelFacts& facts);

/// The input of the script in `host/open_libraries`.
struct OpenRequest {
  std::vector<std::string> imports;  ///< first: torch, other wheels' modules
  std::vector<OpenOrder> orders =
      {};  ///< each is opened after the imports, in a process of its own
  std::vector<std::string> modules = {};  ///< imported last
};
std::string to_json(const OpenRequest& request);
/// Parses the output of the script. `internal` when it is malformed.
Result<std::vector<OpenedMember>> parse_opened(const std::string& json);

/// The importable modules of a wheel that contain libraries: others, such as tests and tools
/// installed by mistake, are unrelated to torch. All modules if none has libraries.
std::vector<std::string> modules_to_import(const std::vector<std::string>& modules,
                                           const inspect::WheelFacts& facts);

/// The wheel's requirements on projects other than torch, in pip's format: torch is installed
/// already, whatever the metadata requires. Malformed requirements and those of extras are omitted.
std::vector<std::string> other_requirements(const inspect::WheelFacts& facts);

}  // namespace pinwheel::compat
