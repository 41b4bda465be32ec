#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "compat/run_result.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::compat {

/// How one library of a wheel is opened: the wheel's own libraries that it needs first, for
/// packages open theirs in order, or find them by a search path.
struct OpenOrder {
  std::string member;              ///< in the wheel
  std::vector<std::string> paths;  ///< below site-packages; the last is the library itself
};

/// The shared libraries that a wheel installs below site-packages, in its order.
std::vector<OpenOrder> open_orders(const inspect::WheelFacts& facts);

/// What the script of `host/open_libraries` does.
struct OpenRequest {
  std::vector<std::string> imports;       ///< first: torch, other wheels' modules
  std::vector<OpenOrder> orders = {};     ///< each is opened after these, apart from the others
  std::vector<std::string> modules = {};  ///< imported last
};
std::string to_json(const OpenRequest& request);
/// What it wrote. `internal` when it is something else.
Result<std::vector<OpenedMember>> parse_opened(const std::string& json);

/// Of a wheel's importable modules those that have libraries in them: what else a wheel installs,
/// tests and tools by mistake, says nothing of torch. All where none has.
std::vector<std::string> modules_to_import(const std::vector<std::string>& modules,
                                           const inspect::WheelFacts& facts);

/// What the wheel asks of other projects than torch, as requirements that pip reads: torch is there
/// already, whatever the metadata claims of it. What is unreadable or of an
/// extra is left out.
std::vector<std::string> other_requirements(const inspect::WheelFacts& facts);

}  // namespace pinwheel::compat
