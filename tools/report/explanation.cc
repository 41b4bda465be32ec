#include "report/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/visible_text.h"
#include "matrix/family.h"
#include "matrix/status_name.h"
#include "matrix/variant.h"
#include "plan/step_id.h"

namespace pinwheel::report {
namespace {

std::string line(std::string_view label, const std::string& text) {
  return fmt::format("  {:<13}{}\n", label, visible(text));
}

std::string rule_text(const matrix::Matrix& matrix, size_t index) {
  const matrix::SupportRule& rule = matrix.rules[index];
  const std::string place = fmt::format("rules[{}] ({}:{})", index, rule.at.file, rule.at.line);
  return rule.because.empty() ? place : fmt::format("{}: {}", place, rule.because);
}

const matrix::AbiClass* class_of(const Explained& known, const std::string& variant) {
  for (const matrix::AbiClass& cls : known.classes) {
    if (std::find(cls.members.begin(), cls.members.end(), variant) != cls.members.end())
      return &cls;
  }
  return nullptr;
}

std::string names_text(const Explained& known, const matrix::AbiClass& cls,
                       const matrix::Variant& representative) {
  const plan::WheelTags tags =
      plan::tags_of(matrix::abi_of(known.matrix, representative), representative, "*");
  std::string out;
  const auto namings = known.namings.find(cls.id);
  if (namings == known.namings.end()) return out;
  for (const wheel::Naming& naming : plan::each_file(namings->second)) {
    const std::string file = plan::wheel_pattern(naming, tags);
    out += line("wheel", naming.targets.empty()
                             ? file
                             : fmt::format("{} (for {})", file, join(naming.targets, ", ")));
  }
  return out;
}

Result<std::string> build_text(const Explained& known, const matrix::VariantIndex& variants,
                               const matrix::AbiClass& cls) {
  TRY(const matrix::Variant* const representative, variants.find(cls.representative));
  TRY(const matrix::Settings settings, matrix::settings_for(known.matrix, *representative));
  std::string out = line("build", plan::build_id(cls.id));
  out +=
      line("built by", cls.representative + ", the oldest that the matrix supports in its class");
  out += line("serves", plural(cls.members.size(), "variant"));
  out += line("command", shell_join(settings.build.command));
  if (!settings.build.arch_list.empty()) {
    out += line("arch list", join(settings.build.arch_list, ";"));
  }
  out += names_text(known, cls, *representative);
  return out;
}

/// The channels whose releases install the wheel of a variant from their first target.
std::string installs_text(const Explained& known, const std::string& variant) {
  std::string out;
  for (const plan::ChannelInstalls& each : known.installs) {
    if (std::ranges::find(each.variants, variant) == each.variants.end()) continue;
    out += line("installed", fmt::format("from {} with pip and with uv, in the channel {}",
                                         each.through, each.channel));
  }
  return out;
}

std::string environment_text(const matrix::Settings& settings, const matrix::Variant& variant) {
  std::string out = line("python", variant.get("python"));
  if (!settings.environment.torch.spec.empty()) {
    const std::string& index = settings.environment.torch.index;
    out += line("torch", settings.environment.torch.spec + (index.empty() ? "" : " from " + index));
  }
  std::vector<std::string> packages = settings.environment.tools;
  packages.insert(packages.end(), settings.environment.pip.begin(), settings.environment.pip.end());
  if (!packages.empty()) out += line("packages", join(packages, ", "));
  out += line("test",
              settings.test.command.empty() ? "import only" : shell_join(settings.test.command));
  return out;
}

Result<std::string> variant_text(const Explained& known, const matrix::VariantIndex& variants,
                                 const matrix::Variant& variant) {
  std::string out = fmt::format("{} is in\n", variant.id);
  out += line("status", std::string(matrix::to_string(variant.status)));
  out += line("channels", variant.channels.empty() ? "none" : join(variant.channels, ", "));
  for (const size_t rule : variant.shaped_by) out += line("rule", rule_text(known.matrix, rule));
  TRY(const matrix::Settings settings, matrix::settings_for(known.matrix, variant));
  out += environment_text(settings, variant);
  out += installs_text(known, variant.id);
  const matrix::AbiClass* const cls = class_of(known, variant.id);
  if (cls == nullptr) return out;
  TRY(const std::string build, build_text(known, variants, *cls));
  return out + build;
}

std::string request_text(const env::Request& request) {
  std::string out;
  if (!request.python.empty()) out += line("python", request.python);
  if (!request.torch.spec.empty()) {
    const std::string& index = request.torch.index;
    out += line("torch", request.torch.spec + (index.empty() ? "" : " from " + index));
  }
  if (!request.requirements.empty()) out += line("packages", join(request.requirements, ", "));
  if (!request.conda.packages.empty()) {
    out += line("conda", join(request.conda.packages, ", "));
  }
  if (!request.toolkit.empty()) out += line("toolkit", request.toolkit);
  if (!request.container.base.empty()) out += line("container", request.container.base);
  return out;
}

/// The request of a step that makes an environment or a toolkit; nullptr for the others.
const env::Request* made_by(const plan::Step& step) {
  if (const auto* made = std::get_if<plan::CreateEnvironment>(&step.action)) return &made->request;
  if (const auto* made = std::get_if<plan::MakeToolkit>(&step.action)) return &made->request;
  return nullptr;
}

std::vector<std::string> known_ids(const Explained& known) {
  std::vector<std::string> ids;
  for (const matrix::Variant& variant : known.expansion.variants) ids.push_back(variant.id);
  for (const matrix::Excluded& excluded : known.expansion.excluded) {
    ids.push_back(excluded.variant.id);
  }
  for (const matrix::AbiClass& cls : known.classes) ids.push_back(plan::build_id(cls.id));
  for (const plan::ChannelInstalls& each : known.installs) {
    for (const std::string& variant : each.variants) ids.push_back(plan::install_id(variant));
  }
  return ids;
}

}  // namespace

Result<std::string> explain(const Explained& known, const std::string& id) {
  const matrix::VariantIndex variants(known.expansion.variants);
  for (const matrix::AbiClass& cls : known.classes) {
    if (id == plan::build_id(cls.id)) {
      TRY(const std::string text, build_text(known, variants, cls));
      return text + line("variants", join(cls.members, " "));
    }
  }
  const std::string variant = plan::variant_of(id);
  const bool install = plan::kind_of_step(id) == plan::StepKind::install;
  if (install && installs_text(known, variant).empty()) {
    return fail(ErrorKind::usage,
                fmt::format("{} has no install test {}", quoted(known.matrix.file), quoted(id)),
                suggest(id, known_ids(known)));
  }
  const Result<const matrix::Variant*> found = variants.find(variant);
  if (found) return variant_text(known, variants, **found);
  for (const matrix::Excluded& excluded : known.expansion.excluded) {
    if (excluded.variant.id != variant) continue;
    return fmt::format("{} is out\n{}", variant,
                       line("rule", rule_text(known.matrix, excluded.rule)));
  }
  return fail(ErrorKind::usage,
              fmt::format("{} has no variant or build {}", quoted(known.matrix.file), quoted(id)),
              suggest(id, known_ids(known)));
}

Result<std::string> explain_environment(const plan::Plan& plan, const std::string& id) {
  std::vector<std::string> ids;
  const env::Request* request = nullptr;
  std::vector<std::string> users;
  for (const plan::Step& step : plan.steps) {
    const env::Request* const made = made_by(step);
    if (made != nullptr) ids.push_back(step.id);
    if (made != nullptr && step.id == id) request = made;
    if (std::find(step.needs.begin(), step.needs.end(), id) != step.needs.end()) {
      users.push_back(step.id);
    }
  }
  if (request != nullptr) {
    return fmt::format("{}\n{}{}", visible(id), request_text(*request),
                       line("used by", join(users, " ")));
  }
  return fail(ErrorKind::usage,
              fmt::format("the matrix has no environment or toolkit {}", quoted(id)),
              ids.empty() ? "" : suggest(id, ids));
}

}  // namespace pinwheel::report
