#include "inspect/variant_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/parse_integer.h"
#include "base/text.h"
#include "inspect/driver.h"
#include "inspect/gpu_support.h"
#include "matrix/axis_value.h"

namespace pinwheel::inspect {
namespace {

using binary::CodeKind;

constexpr int kLastMinor = 9;
constexpr int kOldestCapability = 50;

/// Code for the features of one architecture or family counts only when a promise is judged.
enum class Suffixed { counts, ignored };

std::string_view digits_of(const binary::DeviceCode& code) {
  const std::string_view name = code.architecture;
  return name.substr(name.find('_') + 1);
}

bool is_suffixed(const binary::DeviceCode& code) {
  const std::string_view digits = digits_of(code);
  return digits.empty() || !is_digit(digits.back());
}

bool is_cuda(const binary::DeviceCode& code) {
  return code.kind == CodeKind::cubin || code.kind == CodeKind::ptx;
}

/// Whether code runs on the GPU of the value and on all later ones of its major version.
bool serves(const binary::DeviceCode& code, const SmValue& value, Suffixed suffixed) {
  if (!is_cuda(code)) return false;
  if (value.form == SmValue::Form::real && code.kind == CodeKind::ptx) return false;
  if (suffixed == Suffixed::ignored && is_suffixed(code)) return false;
  const Target target{code.kind, code.architecture};
  const auto runs_on_minor = [&](int minor) {
    return support_by(target, fmt::format("{}.{}", value.major, minor)) != GpuSupport::none;
  };
  return runs_on_minor(value.minor) && runs_on_minor(kLastMinor);
}

std::string unserved_file(const WheelFacts& facts, const SmValue& value, Suffixed suffixed) {
  for (const DeviceCodeMember& member : facts.device_code) {
    if (!is_to_run(facts, member) ||
        std::none_of(member.code.begin(), member.code.end(), is_cuda)) {
      continue;
    }
    const bool served =
        std::any_of(member.code.begin(), member.code.end(),
                    [&](const binary::DeviceCode& code) { return serves(code, value, suffixed); });
    if (!served) return member.name;
  }
  return {};
}

/// The CUDA release that the wheel was built with, as far as it says.
std::optional<GpuRelease> stated_release(const WheelFacts& facts) {
  const matrix::Compute compute = matrix::split_compute(facts.claim.compute);
  if (compute.family == "cuda") return driver_bound_of(matrix::leading(2, compute.version));
  if (!facts.name) return std::nullopt;
  std::optional<GpuRelease> stated = promised_release(facts.name->version);
  if (!stated) stated = release_in_name(facts.name->distribution);
  return stated && stated->stack == GpuStack::cuda ? stated : std::nullopt;
}

/// Orders releases by their numbers; an unspecified minor release is 0.
bool is_older(const GpuRelease& left, const GpuRelease& right) {
  return std::pair(left.major, left.minor.value_or(0)) <
         std::pair(right.major, right.minor.value_or(0));
}

/// The values of `sm_arch` that the wheel keeps, sorted as texts.
std::vector<std::string> promised_values(const WheelFacts& facts, bool& has_ptx) {
  std::set<std::string> values;
  for (const DeviceCodeMember& member : facts.device_code) {
    if (!is_to_run(facts, member)) continue;
    for (const binary::DeviceCode& code : member.code) {
      if (!is_cuda(code) || is_suffixed(code)) continue;
      const std::string text =
          fmt::format("{}_{}", digits_of(code), code.kind == CodeKind::ptx ? "virtual" : "real");
      const std::optional<SmValue> value = sm_value_of(text);
      if (!value || !unserved_file(facts, *value, Suffixed::ignored).empty()) continue;
      values.insert(text);
      has_ptx = has_ptx || value->form == SmValue::Form::ptx;
    }
  }
  return {values.begin(), values.end()};
}

bool has_code(const WheelFacts& facts, bool (*matches)(const binary::DeviceCode&)) {
  return std::any_of(facts.device_code.begin(), facts.device_code.end(),
                     [&](const DeviceCodeMember& member) {
                       return is_to_run(facts, member) &&
                              std::any_of(member.code.begin(), member.code.end(), matches);
                     });
}

bool is_for_amd(const binary::DeviceCode& code) {
  return code.kind == CodeKind::code_object;
}

bool uses_rocm(const WheelFacts& facts) {
  const std::vector<GpuUse> uses = gpu_uses(facts);
  return has_code(facts, is_for_amd) || std::any_of(uses.begin(), uses.end(), [](const auto& use) {
           return use.release.stack == GpuStack::rocm;
         });
}

}  // namespace

std::optional<SmValue> sm_value_of(std::string_view text) {
  const size_t end = text.find('_');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view form = text.substr(end + 1);
  const auto number = parse_unsigned(text.substr(0, end));
  if (!number || *number < kOldestCapability || *number >= 1000) return std::nullopt;
  SmValue value{static_cast<int>(*number / 10), static_cast<int>(*number % 10)};
  if (form == "real") return value;
  value.form = SmValue::Form::ptx;
  return form == "virtual" && value.minor == 0 ? std::optional(value) : std::nullopt;
}

std::optional<GpuRelease> driver_bound_of(std::string_view text) {
  const size_t dot = text.find('.');
  const auto major = parse_unsigned(text.substr(0, dot));
  if (!major || *major >= 1000) return std::nullopt;
  GpuRelease release{GpuStack::cuda, static_cast<int>(*major)};
  if (dot == std::string_view::npos) return release;
  const auto minor = parse_unsigned(text.substr(dot + 1));
  if (!minor || *minor >= 1000) return std::nullopt;
  release.minor = static_cast<int>(*minor);
  return release;
}

std::string without_code_for(const WheelFacts& facts, const SmValue& value) {
  return unserved_file(facts, value, Suffixed::counts);
}

std::optional<GpuRelease> needed_driver(const WheelFacts& facts, SmValue::Form form) {
  const DriverNeeds needs = driver_needs(facts);
  std::optional<GpuRelease> newest;
  const auto raise = [&newest](const GpuRelease& release) {
    if (!newest || is_older(*newest, release)) newest = release;
  };
  for (const DriverNeed& need : needs.load) raise(need.cuda);
  if (form == SmValue::Form::ptx && needs.ptx) raise(needs.ptx->cuda);
  return newest;
}

Result<wheel::VariantProperties> variant_properties(const WheelFacts& facts) {
  if (uses_rocm(facts)) {
    return fail(ErrorKind::check,
                fmt::format("{} is for AMD GPUs, for which installers know no properties",
                            quoted(facts.file_name)),
                "publish it without a variant label");
  }
  bool has_ptx = false;
  const std::vector<std::string> values = promised_values(facts, has_ptx);
  if (values.empty() && has_code(facts, is_cuda)) {
    return fail(ErrorKind::check,
                fmt::format("no property describes the GPUs of {}", quoted(facts.file_name)),
                "code for the features of one architecture, such as `9.0a`, has no property, and "
                "all files need code for the same architectures: add `9.0` or `9.0+PTX`");
  }
  std::optional<GpuRelease> driver =
      needed_driver(facts, has_ptx ? SmValue::Form::ptx : SmValue::Form::real);
  const std::optional<GpuRelease> stated = stated_release(facts);
  if (stated && (!driver || is_older(*driver, *stated))) driver = stated;
  wheel::VariantProperties properties;
  if (!values.empty()) properties[kNvidiaNamespace][kSmArchitecture] = values;
  if (driver) {
    properties[kNvidiaNamespace][kDriverBound] = {
        fmt::format("{}.{}", driver->major, driver->minor.value_or(0))};
  }
  return properties;
}

Result<std::string> variant_json(const WheelFacts& facts, const VariantRequest& request) {
  wheel::VariantMetadata metadata;
  metadata.schema = wheel::schema_of(request.draft);
  metadata.draft = request.draft;
  metadata.namespaces = {kNvidiaNamespace};
  if (request.draft == pep::VariantDraft::pep850) {
    // uv contains the provider if it is named and required in this way.
    metadata.providers[kNvidiaNamespace] = {{"nvidia-variant-provider>=0.0.1"},
                                            "nvidia_variant_provider.plugin:NvidiaVariantPlugin"};
  }
  wheel::VariantProperties& properties = metadata.variants[request.label];
  if (request.label != pep::kNullVariant) {
    TRY(properties, variant_properties(facts));
    if (properties.empty()) {
      return fail(ErrorKind::check,
                  fmt::format("{} has no properties, so it is not the variant {}",
                              quoted(facts.file_name), quoted(request.label)),
                  "a wheel for every machine is the variant `null`, or has no label");
    }
  }
  return wheel::to_string(metadata);
}

}  // namespace pinwheel::inspect
