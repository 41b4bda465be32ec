#include "report/init_json.h"

#include <nlohmann/json.hpp>

#include "init/identity.h"

namespace pinwheel::report {
namespace {

using InitJson = nlohmann::json;

struct LineJson {
  InitJson operator()(std::monostate) const { return nullptr; }
  InitJson operator()(const std::string& text) const { return text; }
  InitJson operator()(init::YesOrNo value) const { return value == init::YesOrNo::yes; }
  InitJson operator()(const std::vector<std::string>& list) const { return list; }
  InitJson operator()(const std::vector<std::pair<std::string, std::string>>& entries) const {
    InitJson object = InitJson::object();
    for (const auto& [key, value] : entries) object[key] = value;
    return object;
  }
};

std::string_view language_of(project::SourceMark mark) {
  switch (mark) {
    case project::SourceMark::c:
      return "c";
    case project::SourceMark::cxx:
      return "c++";
    case project::SourceMark::cuda:
      return "cuda";
    case project::SourceMark::hip:
      return "hip";
    case project::SourceMark::cython:
      return "cython";
    case project::SourceMark::rust:
      return "rust";
    case project::SourceMark::python_h:
    case project::SourceMark::pybind11:
    case project::SourceMark::nanobind:
    case project::SourceMark::torch:
    case project::SourceMark::torch_stable:
      break;
  }
  return {};
}

InitJson counted_sources(const init::ProjectFacts& facts) {
  InitJson counts = InitJson::object();
  for (const project::ScannedSource& source : facts.sources) {
    for (const project::SourceMark mark : source.marks) {
      const std::string language(language_of(mark));
      if (!language.empty()) counts[language] = counts.value(language, 0) + 1;
    }
  }
  return counts;
}

InitJson facts_json(const init::ProjectFacts& facts) {
  InitJson options = InitJson::array();
  for (const auto& [name, value] : facts.cibuildwheel.options) options.push_back(name);
  const auto version = init::static_version(facts);
  const project::BuildSystem system =
      facts.pyproject ? facts.pyproject->build_system : project::BuildSystem{};
  return {{"backend", system.backend},
          {"build_requires", init::build_requires(facts)},
          {"dependencies", init::dependencies(facts)},
          {"requires_python", init::requires_python(facts)},
          {"version", version ? InitJson(version->version) : InitJson()},
          {"tags", facts.tags ? InitJson(*facts.tags) : InitJson()},
          {"workflow",
           {{"python", facts.workflow.pythons},
            {"cuda", facts.workflow.cudas},
            {"torch", facts.workflow.torches}}},
          {"cibuildwheel", options},
          {"sources", counted_sources(facts)}};
}

}  // namespace

std::string init_json(const init::ProjectFacts& facts, const init::Decision& decision,
                      const std::string& matrix) {
  InitJson lines = InitJson::array();
  for (const init::MatrixLine& line : decision.draft.lines) {
    lines.push_back({{"key", line.key},
                     {"value", std::visit(LineJson{}, line.value)},
                     {"because", line.because}});
  }
  InitJson left_out = InitJson::array();
  for (const init::LeftOut& one : decision.draft.left_out) {
    left_out.push_back({{"what", one.what}, {"why", one.why}});
  }
  const InitJson json = {
      {"schema", "pinwheel-init/1"},
      {"name", decision.name},
      {"matrix", matrix.empty() ? InitJson() : InitJson(matrix)},
      {"facts", facts_json(facts)},
      {"lines", lines},
      {"left_out", left_out},
      {"proven_by",
       decision.draft.proven_by.empty() ? InitJson() : InitJson(decision.draft.proven_by)}};
  return json.dump(2, ' ', false, InitJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
