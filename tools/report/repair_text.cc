#include "report/repair_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace pinwheel::report {
namespace {

using RepairJson = nlohmann::ordered_json;

std::string origin(const repair::OwnerPackage& package) {
  return package.name.empty() ? "no package" : fmt::format("{} {}", package.name, package.version);
}

std::string edit_words(const repair::Edit& edit) {
  std::vector<std::string> words;
  for (const auto& [old_name, new_name] : edit.replace_needed) {
    words.push_back(fmt::format("needs {} instead of {}", new_name, old_name));
  }
  for (const std::string& removed : edit.remove_needed) {
    words.push_back("no longer needs " + removed);
  }
  if (edit.rpath) words.push_back(edit.rpath->empty() ? "no RPATH" : "RPATH " + *edit.rpath);
  if (words.empty()) words.push_back("SONAME " + edit.soname);
  return join(words, "; ");
}

RepairJson grafts_json(const repair::Outcome& outcome) {
  RepairJson out = RepairJson::array();
  for (const repair::Component& component : outcome.components) {
    RepairJson licenses = RepairJson::array();
    for (const repair::LicenseFile& file : component.package.license_files) {
      licenses.push_back(file.name);
    }
    const bool known = !component.package.name.empty();
    out.push_back(
        {{"member", component.graft.member},
         {"needed_as", component.graft.needed_as},
         {"path", component.graft.path},
         {"sha256", component.graft.sha256},
         {"package", known ? RepairJson(repair::package_url(component.package)) : RepairJson()},
         {"licenses", licenses}});
  }
  return out;
}

RepairJson edits_json(const repair::RepairPlan& plan) {
  RepairJson out = RepairJson::array();
  for (const repair::Edit& edit : plan.edits) {
    RepairJson replaced = RepairJson::object();
    for (const auto& [old_name, new_name] : edit.replace_needed) replaced[old_name] = new_name;
    out.push_back({{"member", edit.member},
                   {"soname", edit.soname.empty() ? RepairJson() : RepairJson(edit.soname)},
                   {"replace_needed", replaced},
                   {"remove_needed", edit.remove_needed},
                   {"rpath", edit.rpath ? RepairJson(*edit.rpath) : RepairJson()}});
  }
  return out;
}

}  // namespace

std::string repair_text(const repair::Outcome& outcome) {
  const repair::RepairPlan& plan = outcome.plan;
  std::string out = outcome.wheel + "\n";
  const auto line = [&](const char* what, const std::string& text) {
    out += fmt::format("  {:<8}{}\n", what, text);
  };
  for (const repair::Component& component : outcome.components) {
    line("graft", fmt::format("{} -> {} ({})", component.graft.path, component.graft.member,
                              origin(component.package)));
  }
  for (const repair::Edit& edit : plan.edits) {
    line("edit", fmt::format("{}: {}", edit.member, edit_words(edit)));
  }
  for (const std::string& requirement : plan.requirements) line("require", requirement);
  for (const std::string& note : plan.notes) line("note", note);
  line("tag", plan.is_needed() ? join(plan.platforms, ".")
                               : join(plan.platforms, ".") + ", nothing to repair");
  return out;
}

std::string repair_json(const repair::Outcome& outcome, const std::optional<plan::Output>& output) {
  const repair::RepairPlan& plan = outcome.plan;
  RepairJson json = {{"schema", 1},
                     {"wheel", outcome.wheel},
                     {"repaired", plan.is_needed()},
                     {"file_name", outcome.file_name},
                     {"platforms", plan.platforms},
                     {"grafts", grafts_json(outcome)},
                     {"edits", edits_json(plan)},
                     {"requirements", plan.requirements},
                     {"notes", plan.notes},
                     {"output", nullptr}};
  if (output) {
    json["output"] = {{"path", output->path}, {"sha256", output->sha256}, {"size", output->size}};
  }
  return json.dump(2) + "\n";
}

}  // namespace pinwheel::report
