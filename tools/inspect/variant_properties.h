#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "inspect/gpu_stack.h"
#include "inspect/wheel_facts.h"
#include "wheel/variant_metadata.h"

// The properties of wheel variants for NVIDIA GPUs
//
// They are those of the package `nvidia-variant-provider`, which installers contain:
//
//     cuda_version_lower_bound  "12.8"        the driver supports CUDA 12.8 or newer
//     sm_arch                   "80_real"     the GPU is 8.0 or a later minor version, as for
//                                             machine code of sm_80
//                               "90_virtual"  the GPU is of that major version, as for PTX of
//                                             compute_90; other minor versions than 0 match nothing
//
// A GPU 10.3 matches `100_real` and `103_real`. So machine code for the features of one
// architecture (sm_100a) or family (sm_100f) has no value of its own, and `100_real` would promise
// more than sm_100a has.
namespace pinwheel::inspect {

inline constexpr const char* kNvidiaNamespace = "nvidia";
inline constexpr const char* kDriverBound = "cuda_version_lower_bound";
inline constexpr const char* kSmArchitecture = "sm_arch";

/// A value of `sm_arch` that some GPU matches.
struct SmValue {
  enum class Form { real, ptx };
  int major = 0;
  int minor = 0;
  Form form = Form::real;
};
/// Reads "90_real"; nullopt for a value that no GPU matches: "90", "90a_real", "86_virtual".
std::optional<SmValue> sm_value_of(std::string_view text);

/// Reads a bound, "12.8" or "12"; nullopt for other text.
std::optional<GpuRelease> driver_bound_of(std::string_view text);

/// The first file with CUDA code that does not run on every GPU that matches; empty if there is
/// none. For `real` its code must be machine code.
std::string without_code_for(const WheelFacts& facts, const SmValue& value);

/// The oldest CUDA release of a driver that runs the wheel; with `ptx`, also its PTX. nullopt if it
/// needs no driver.
std::optional<GpuRelease> needed_driver(const WheelFacts& facts, SmValue::Form form);

/// What the wheel needs of a machine: the driver of the CUDA release that it was built with (by its
/// build record, its version or its name), or a newer one that its code needs, and the
/// architectures that every file with CUDA code has, without those with `a` and `f`. Empty for a
/// wheel without CUDA. Kind `check` if it has CUDA code and no value describes it, and for code for
/// AMD GPUs, which no installer's provider describes.
Result<wheel::VariantProperties> variant_properties(const WheelFacts& facts);

/// What a variant of a wheel is.
struct VariantRequest {
  std::string label;  ///< "cu130"; `null` for the variant without properties
  pep::VariantDraft draft = pep::VariantDraft::pep850;
};
/// The contents of the `variant.json` of the wheel as that variant. Kind `check` if no property
/// describes the wheel and the label is not `null`; errors of `variant_properties`.
Result<std::string> variant_json(const WheelFacts& facts, const VariantRequest& request);

}  // namespace pinwheel::inspect
