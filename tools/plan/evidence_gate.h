#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/outcome.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// `publish.require`: each test must have at least the required evidence, unless its variant was
/// accepted with a reason. Kind `check`, with each test that falls short as a cause.
Done check_evidence(const std::map<std::string, std::string>& required,
                    const std::vector<StepOutcome>& outcomes,
                    const std::map<std::string, std::string>& accepted);

/// The evidence that an installation from an index must have for a variant whose test must have
/// `required`: no more than `loaded`, because nothing runs. Empty if nothing is required.
std::string evidence_of_installation(const std::string& required);

/// Checks, for a promoted publication, that at least one installation from the first target could
/// import the wheel, unless all were accepted with a reason. `check`, with the reason of each.
Done check_installed(const std::vector<StepOutcome>& outcomes,
                     const std::map<std::string, std::string>& accepted);

/// The requirements before the publications of a plan: `missing` are the steps without a result,
/// each as an error, and `outcomes` must have the evidence that all targets require. Kind `check`,
/// with each missing result or evidence as a cause, without duplicates.
Done check_gate(const std::vector<Step>& publications, const std::vector<StepOutcome>& outcomes,
                const std::map<std::string, std::string>& accepted,
                const std::map<std::string, Error>& missing);

/// Why each test has less evidence than these publications require, by id; none if `check_gate`
/// fails only for other reasons. `config` if they require an unknown evidence.
Result<std::map<std::string, std::string>> weak_tests(
    const std::vector<Step>& publications, const std::vector<StepOutcome>& outcomes,
    const std::map<std::string, std::string>& accepted);

/// The file of a state directory in which a run records why its tests fell short.
inline constexpr const char* kGateFile = "gate.json";
/// Its text, schema `pinwheel-gate/1`. Bytes that are not UTF-8 are replaced.
std::string gate_json(const std::map<std::string, std::string>& weak);
/// The inverse; empty for any other text.
std::map<std::string, std::string> parse_gate(std::string_view text);

}  // namespace pinwheel::plan
