#pragma once
#include <vector>

#include "inspect/expectations.h"
#include "inspect/finding.h"
#include "inspect/wheel_facts.h"

// The functions behind the table in rules.cc. Each fills every field of its findings but `rule`.
namespace pinwheel::inspect {

using Findings = std::vector<Finding>;

/// File name, plan, METADATA, WHEEL and the dist-info directory agree on name, version, build
/// number and tags.
Findings judge_wheel_name(const WheelFacts& facts, const Expectations& expected);
/// METADATA is accepted by PyPI and installers.
Findings judge_metadata(const WheelFacts& facts, const Expectations& expected);
/// The metadata of a wheel variant has the label of the file name, and its properties hold.
Findings judge_variant(const WheelFacts& facts, const Expectations& expected);
/// RECORD lists every member once, with its sha256 and size.
Findings judge_record(const WheelFacts& facts, const Expectations& expected);
/// The zip file follows PyPI's rules.
Findings judge_archive(const WheelFacts& facts, const Expectations& expected);
/// The wheel is no larger than the limit.
Findings judge_size(const WheelFacts& facts, const Expectations& expected);
/// Every platform tag is justified by the binaries.
Findings judge_platform_tag(const WheelFacts& facts, const Expectations& expected);
/// Every library that the binaries need has a provider.
Findings judge_needed_libraries(const WheelFacts& facts, const Expectations& expected);
/// Every declared release of torch exports the symbols that the binaries import from it. The C
/// library, the wheel or a needed library provides all others.
Findings judge_undefined_symbols(const WheelFacts& facts, const Expectations& expected);
/// RPATH and RUNPATH stay inside the installation.
Findings judge_rpath(const WheelFacts& facts, const Expectations& expected);

/// Every library with device code has code for each claimed architecture and for no other. The
/// claim is the expected arch list, or that of the wheel's build record.
Findings judge_device_code(const WheelFacts& facts, const Expectations& expected);

/// Libraries and tags agree on the Pythons that can load them: module names, the Stable ABI of the
/// oldest tagged Python, reference counting with or without a global lock.
Findings judge_python_abi(const WheelFacts& facts, const Expectations& expected);
/// No library requests an executable stack.
Findings judge_executable_stack(const WheelFacts& facts, const Expectations& expected);
/// No library has text relocations.
Findings judge_text_relocations(const WheelFacts& facts, const Expectations& expected);
/// Shared libraries protect relocated data.
Findings judge_relro(const WheelFacts& facts, const Expectations& expected);
/// No library has debug information.
Findings judge_debug_info(const WheelFacts& facts, const Expectations& expected);
/// Libraries, device code and requirements match the CUDA or ROCm release in the local version.
Findings judge_gpu_label(const WheelFacts& facts, const Expectations& expected);
/// Device code does not need a newer driver than its CUDA release.
Findings judge_gpu_driver(const WheelFacts& facts, const Expectations& expected);
/// A wheel whose libraries need torch's libraries requires torch.
Findings judge_torch_requirement(const WheelFacts& facts, const Expectations& expected);
/// The requirement on torch allows no release on which the wheel does not load.
Findings judge_torch_bounds(const WheelFacts& facts, const Expectations& expected);
/// The wheel has no bytecode.
Findings judge_byte_code(const WheelFacts& facts, const Expectations& expected);
/// Top-level entries of site-packages are importable and do not have common names.
Findings judge_top_level(const WheelFacts& facts, const Expectations& expected);
/// No contents of a kilobyte or more are duplicated.
Findings judge_duplicates(const WheelFacts& facts, const Expectations& expected);
/// Members are files and directories, without setuid and setgid bits.
Findings judge_special_members(const WheelFacts& facts, const Expectations& expected);
/// Names contain no invisible characters and none that reverse the direction of the text.
Findings judge_hidden_characters(const WheelFacts& facts, const Expectations& expected);
/// No names that some systems do not support, no leftovers of tools.
Findings judge_odd_members(const WheelFacts& facts, const Expectations& expected);

/// No library of torch, or of a distribution that the wheel requires: a process would load it
/// twice.
Findings judge_bundled_libraries(const WheelFacts& facts, const Expectations& expected);
/// A file that Python imports as a module defines the `PyInit_` function of its name.
Findings judge_module_init(const WheelFacts& facts, const Expectations& expected);
/// CUDA's runtime is not linked statically if the shared one is used as well.
Findings judge_cuda_runtime(const WheelFacts& facts, const Expectations& expected);
/// No code beyond the baseline of the architecture without a choice at run time, and no flag of the
/// build that compiles for the machine itself.
Findings judge_cpu_baseline(const WheelFacts& facts, const Expectations& expected);
/// A wheel with native code comes from a build that ran a compiler.
Findings judge_compiled_here(const WheelFacts& facts, const Expectations& expected);

}  // namespace pinwheel::inspect
