#include "report/derivation_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace pinwheel::report {
namespace {

using FinishJson = nlohmann::ordered_json;

FinishJson derivation_json(const wheel::Derivation& derivation) {
  FinishJson requirements = FinishJson::array();
  for (const auto& [before, after] : derivation.requirements) {
    requirements.push_back({{"before", before}, {"after", after}});
  }
  FinishJson renamed;
  if (derivation.old_directory != derivation.new_directory) {
    renamed = {{"from", derivation.old_directory}, {"to", derivation.new_directory}};
  }
  return {{"file", derivation.original},
          {"sha256", derivation.sha256},
          {"distribution", derivation.naming.distribution},
          {"version", derivation.naming.version},
          {"renamed", renamed},
          {"identical", derivation.changes.identical},
          {"rewritten", derivation.changes.rewritten},
          {"added", derivation.changes.added},
          {"dropped", derivation.changes.dropped},
          {"requirements", requirements}};
}

std::string names_line(std::string_view what, const std::vector<std::string>& names) {
  return names.empty() ? std::string() : fmt::format("  {}: {}\n", what, quoted_list(names));
}

}  // namespace

std::string derivation_text(const plan::Output& output, const wheel::Derivation& derivation) {
  const wheel::ContentsChanges& changes = derivation.changes;
  std::string text = fmt::format("{} is derived from {}, and all code is identical\n",
                                 quoted(last_part(output.path)), quoted(derivation.original));
  text += fmt::format("  identical: {}\n", plural(changes.identical, "file"));
  text += names_line("rewritten", changes.rewritten);
  text += names_line("added", changes.added);
  text += names_line("dropped", changes.dropped);
  if (derivation.old_directory != derivation.new_directory) {
    text += fmt::format("  renamed: {} to {}\n", quoted(derivation.old_directory),
                        quoted(derivation.new_directory));
  }
  for (const auto& [before, after] : derivation.requirements) {
    text += fmt::format("  requirement: {} to {}\n", quoted(before), quoted(after));
  }
  return text;
}

std::string finish_json(const plan::Output& output, const wheel::Derivation* derivation) {
  const FinishJson json = {
      {"schema", 1},
      {"output", {{"path", output.path}, {"sha256", output.sha256}, {"size", output.size}}},
      {"derivation", derivation == nullptr ? FinishJson() : derivation_json(*derivation)}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
