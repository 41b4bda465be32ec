#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ci/planned_workflow.h"

namespace pinwheel::ci {

/// The directory of the manifests in a repository.
inline constexpr const char* kKubernetesDirectory = "kubernetes";

/// The manifest of a workflow: a ConfigMap with the rows, a Job for the plan, an Indexed Job each
/// for the device code of split builds, the builds and the tests, and a Job for the gate. Its
/// objects have the label `pinwheel/stage`, because each stage is applied after the one before it
/// has completed. An index is a row; the Job of a stage is divided by architecture and GPU, because
/// all pods of a Job have the same template. A failed step fails its index at once; a lost pod is
/// repeated. All pods need the claim `pinwheel` of a volume that several nodes may mount, and the
/// ConfigMap `pinwheel-run` with `repository` and `commit`. Publications are not part of it: they
/// need credentials and one place. Sources: Kubernetes' reference of Job (batch/v1),
/// PersistentVolumeClaim and ConfigMap. `config` without `ci.container`, whose image the pods use.
Result<std::string> kubernetes_manifest(const PlannedWorkflow& workflow, std::string_view version);

/// What a manifest lacks, compared with a workflow: warnings.
std::vector<Error> kubernetes_warnings(const PlannedWorkflow& workflow);

}  // namespace pinwheel::ci
