#pragma once
#include "plan/make_plan.h"
#include "prepare/build_facts.h"
#include "prepare/packages.h"
#include "prepare/prepare_containers.h"
#include "prepare/version_facts.h"

namespace pinwheel::prepare {

/// The facts of a plan, assembled in the order in which they are gathered. Pure.
plan::PlanFacts plan_facts(const VersionFacts& version, const BuildFacts& build);

plan::PlanFacts with_containers(plan::PlanFacts facts, const PreparedContainers& containers);

plan::PlanFacts with_packages(plan::PlanFacts facts, const Packages& packages);

/// The facts with the keys of pinned images that are not made on this machine. Pure.
plan::PlanFacts with_pinned(plan::PlanFacts facts, const PinnedImages& pinned);

}  // namespace pinwheel::prepare
