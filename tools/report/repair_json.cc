#include "report/repair_json.h"

#include <nlohmann/json.hpp>

namespace pinwheel::report {
namespace {

using RepairJson = nlohmann::ordered_json;

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
    out.push_back(
        {{"member", edit.member},
         {"soname", edit.soname.empty() ? RepairJson() : RepairJson(edit.soname)},
         {"replace_needed", replaced},
         {"remove_needed", edit.remove_needed},
         {"rpath", edit.rpath ? RepairJson(*edit.rpath) : RepairJson()},
         {"moved_from", edit.moved_from.empty() ? RepairJson() : RepairJson(edit.moved_from)}});
  }
  return out;
}

}  // namespace

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
