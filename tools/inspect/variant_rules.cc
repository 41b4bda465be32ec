#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "inspect/driver.h"
#include "inspect/rule_functions.h"
#include "inspect/variant_properties.h"

namespace pinwheel::inspect {
namespace {

using Values = std::vector<std::string>;

std::string variant_file(const WheelFacts& facts) {
  return facts.dist_info + "/variant.json";
}

/// The values of a feature for NVIDIA GPUs; null if the variant does not state it.
const Values* nvidia_values(const wheel::VariantProperties& properties, const char* feature) {
  const auto features = properties.find(kNvidiaNamespace);
  if (features == properties.end()) return nullptr;
  const auto values = features->second.find(feature);
  return values == features->second.end() ? nullptr : &values->second;
}

/// A hint with the properties that the code keeps.
std::string kept_properties(const WheelFacts& facts) {
  const Result<wheel::VariantProperties> kept = variant_properties(facts);
  if (!kept || kept->empty()) return "remove the label: no property describes the wheel's code";
  return "the wheel's code keeps " + quoted_list(wheel::property_lines(*kept));
}

void judge_architectures(const WheelFacts& facts, const Values& values, Findings& out) {
  for (const std::string& text : values) {
    const std::optional<SmValue> value = sm_value_of(text);
    if (!value) {
      out.push_back({"", variant_file(facts),
                     fmt::format("states the architecture {}, which no GPU matches", quoted(text)),
                     "", "write `90_real` for machine code and `90_virtual` for PTX",
                     Severity::warning});
      continue;
    }
    const std::string file = without_code_for(facts, *value);
    if (file.empty()) continue;
    out.push_back(
        {"", file,
         fmt::format("has no code for every GPU that the variant's {} promises", quoted(text)),
         fmt::format("GPUs {}.{} and later ones of {}.x", value->major, value->minor, value->major),
         kept_properties(facts)});
  }
}

bool states_ptx(const Values* values) {
  if (values == nullptr) return false;
  for (const std::string& text : *values) {
    if (const auto value = sm_value_of(text); value && value->form == SmValue::Form::ptx) {
      return true;
    }
  }
  return false;
}

void judge_driver(const WheelFacts& facts, const Values* bounds, const Values* architectures,
                  Findings& out) {
  const auto form = states_ptx(architectures) ? SmValue::Form::ptx : SmValue::Form::real;
  const std::optional<GpuRelease> needed = needed_driver(facts, form);
  if (!needed) return;
  if (bounds == nullptr) {
    out.push_back(
        {"", variant_file(facts),
         fmt::format("states no oldest driver, although the wheel needs {}", driver_text(*needed)),
         "", kept_properties(facts), Severity::warning});
    return;
  }
  for (const std::string& text : *bounds) {
    const std::optional<GpuRelease> bound = driver_bound_of(text);
    const bool holds = bound && std::pair(bound->major, bound->minor.value_or(0)) >=
                                    std::pair(needed->major, needed->minor.value_or(0));
    if (holds) continue;
    out.push_back({"", variant_file(facts),
                   fmt::format("promises that drivers of CUDA {} are new enough, but the wheel "
                               "needs {}",
                               quoted(text), driver_text(*needed)),
                   "", kept_properties(facts)});
  }
}

void judge_label(const WheelFacts& facts, Findings& out) {
  const std::string& label = facts.name->variant;
  const auto& variants = facts.variant->variants;
  if (label.empty()) {
    out.push_back({"", variant_file(facts),
                   "makes it a wheel variant, but its file name has no label",
                   "installers take it for a wheel that every machine supports",
                   "add the label to the name, or remove the file"});
    return;
  }
  if (variants.size() == 1 && variants.contains(label)) return;
  std::vector<std::string> labels;
  labels.reserve(variants.size());
  for (const auto& [name, properties] : variants) labels.push_back(name);
  out.push_back({"", variant_file(facts), "describes other variants than the file name",
                 fmt::format("{}; file name: {}", quoted_list(labels), quoted(label)),
                 "make it again with `pinwheel finish --variant`"});
}

}  // namespace

Findings judge_variant(const WheelFacts& facts, const Expectations& /*expected*/) {
  if (!facts.name) return {};  // reported by `unreadable` under wheel-name
  Findings out;
  if (!facts.variant) {
    const bool unread = std::any_of(facts.unreadable.begin(), facts.unreadable.end(),
                                    [](const auto& each) { return each.rule == "variant"; });
    if (facts.name->variant.empty() || unread) return {};
    return {{"", facts.file_name,
             fmt::format("has the label {}, but no {}", quoted(facts.name->variant),
                         quoted("variant.json")),
             "", "no installer accepts it; make it again with `pinwheel finish --variant`"}};
  }
  judge_label(facts, out);
  if (!facts.variant->draft) {
    out.push_back({"", variant_file(facts), "follows a draft that current installers do not read",
                   facts.variant->schema, "use PEP 850: `pinwheel finish --variant`",
                   Severity::warning});
  }
  const auto variant = facts.variant->variants.find(facts.name->variant);
  if (variant == facts.variant->variants.end() || variant->second.empty()) return out;
  const Values* const architectures = nvidia_values(variant->second, kSmArchitecture);
  const Values* const bounds = nvidia_values(variant->second, kDriverBound);
  if (architectures != nullptr) judge_architectures(facts, *architectures, out);
  judge_driver(facts, bounds, architectures, out);
  return out;
}

}  // namespace pinwheel::inspect
