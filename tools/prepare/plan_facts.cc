#include "prepare/plan_facts.h"

#include "prepare/host.h"

namespace pinwheel::prepare {

plan::PlanFacts plan_facts(const VersionFacts& version, const BuildFacts& build) {
  plan::PlanFacts facts;
  facts.version = version.version;
  facts.source_date_epoch = version.source_date_epoch;
  facts.pinwheel = kPinwheelVersion;
  facts.commit = version.commit;
  facts.tag = version.release_tag;
  facts.repository = version.repository;
  facts.machine = version.machine;
  facts.source = build.package.source;
  facts.wheel_source = build.package.wheel_source;
  facts.wheel_change = build.package.wheel_change;
  for (const auto& [name, member] : build.family) {
    facts.family[name] = {member.source, member.wheel_source, member.wheel_change};
  }
  facts.variables = build.variables;
  facts.toolchain = build.toolchain;
  return facts;
}

plan::PlanFacts with_containers(plan::PlanFacts facts, const PreparedContainers& containers) {
  for (const auto& [settings, used] : containers.images) facts.images[settings] = used.image.key;
  facts.image_pythons = containers.pythons;
  return facts;
}

plan::PlanFacts with_pinned(plan::PlanFacts facts, const PinnedImages& pinned) {
  for (const auto& [settings, image] : pinned) {
    facts.images.emplace(settings, image.key);
    if (image.python.empty()) continue;
    env::Interpreter python;
    python.free_threaded = image.python.ends_with('t');
    python.version = image.python.substr(0, image.python.find('t'));
    python.implementation = image.implementation;
    facts.image_pythons.emplace(settings, std::move(python));
  }
  return facts;
}

plan::PlanFacts with_packages(plan::PlanFacts facts, const Packages& packages) {
  facts.resolutions = packages.resolutions;
  facts.toolkits = packages.toolkits;
  return facts;
}

}  // namespace pinwheel::prepare
