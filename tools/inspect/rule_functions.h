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
/// Every declared release of torch exports what the binaries want of it.
Findings judge_undefined_symbols(const WheelFacts& facts, const Expectations& expected);
/// RPATH and RUNPATH stay inside the installation.
Findings judge_rpath(const WheelFacts& facts, const Expectations& expected);

/// Every library with device code has it for each claimed architecture and for no other. The claim
/// is the expected arch list, or what the wheel's own build record says.
Findings judge_device_code(const WheelFacts& facts, const Expectations& expected);

/// Libraries and tags agree on the Pythons that can load them: names of modules, the Stable ABI of
/// the oldest Python that the tag promises, reference counting with or without a global lock.
Findings judge_python_abi(const WheelFacts& facts, const Expectations& expected);
/// No library asks for an executable stack.
Findings judge_executable_stack(const WheelFacts& facts, const Expectations& expected);
/// No library needs its code to be written to while it is loaded.
Findings judge_text_relocations(const WheelFacts& facts, const Expectations& expected);
/// Shared libraries protect relocated data.
Findings judge_relro(const WheelFacts& facts, const Expectations& expected);
/// No library has debug information.
Findings judge_debug_info(const WheelFacts& facts, const Expectations& expected);
/// The local version's CUDA or ROCm release is the one that libraries, device code and requirements
/// are for.
Findings judge_gpu_label(const WheelFacts& facts, const Expectations& expected);
/// Device code needs no newer driver than its CUDA release does.
Findings judge_gpu_driver(const WheelFacts& facts, const Expectations& expected);
/// Who needs torch's libraries requires torch.
Findings judge_torch_requirement(const WheelFacts& facts, const Expectations& expected);
/// No byte code.
Findings judge_byte_code(const WheelFacts& facts, const Expectations& expected);
/// What lies at the top of site-packages is importable, and not of a name that many projects use.
Findings judge_top_level(const WheelFacts& facts, const Expectations& expected);
/// No contents worth a kilobyte are there twice.
Findings judge_duplicates(const WheelFacts& facts, const Expectations& expected);
/// No links, no names that some systems cannot have, no leftovers of tools.
Findings judge_odd_members(const WheelFacts& facts, const Expectations& expected);

}  // namespace pinwheel::inspect
