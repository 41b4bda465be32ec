#pragma once
#include <string>

#include "base/result.h"
#include "inspect/wheel_facts.h"
#include "ports/byte_source.h"

namespace pinwheel::inspect {

/// Reads a wheel once, one member in memory at a time. `file_name` has no directories. Kind `check`
/// only when the file is no zip archive or has no single dist-info directory; what else is broken
/// is in the facts.
Result<WheelFacts> gather(std::string file_name, const ports::ByteSource& source);

}  // namespace pinwheel::inspect
