#pragma once
#include <vector>

#include "inspect/expectations.h"
#include "inspect/finding.h"
#include "inspect/wheel_facts.h"

// The functions behind the table in rules.cc. Each fills every field of its findings but `rule`.
namespace pinwheel::inspect {

using Findings = std::vector<Finding>;

/// File name, plan, METADATA, WHEEL and the dist-info directory tell of one name, version and tags.
Findings judge_wheel_name(const WheelFacts& facts, const Expectations& expected);
/// METADATA holds what PyPI and installers accept.
Findings judge_metadata(const WheelFacts& facts, const Expectations& expected);
/// RECORD lists every member once, with its sha256 and size.
Findings judge_record(const WheelFacts& facts, const Expectations& expected);
/// The zip file keeps PyPI's rules.
Findings judge_archive(const WheelFacts& facts, const Expectations& expected);
/// The wheel is no larger than the limit.
Findings judge_size(const WheelFacts& facts, const Expectations& expected);
/// Every platform tag is justified by the binaries.
Findings judge_platform_tag(const WheelFacts& facts, const Expectations& expected);
/// Somebody brings every library that the binaries need.
Findings judge_needed_libraries(const WheelFacts& facts, const Expectations& expected);
/// RPATH and RUNPATH stay inside the installation.
Findings judge_rpath(const WheelFacts& facts, const Expectations& expected);

/// Every library with device code has it for each claimed architecture and for no other. The claim
/// is the expected arch list, or what the wheel's own build record says.
Findings judge_device_code(const WheelFacts& facts, const Expectations& expected);

}  // namespace pinwheel::inspect
