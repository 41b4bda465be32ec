#include "ci/kubernetes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ci/job_parts.h"
#include "ci/workflow.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

// A name of an object has at most 63 characters, because that of a pod's label is derived from it.
constexpr size_t kLongestName = 52;

constexpr std::string_view kManifestHead = R"YAML(
@WRITTEN@
# Your own lines between `# pinwheel: keep NAME` and `# pinwheel: end` are preserved.
apiVersion: v1
kind: ConfigMap
metadata:
  name: @NAME@
  labels: {pinwheel/workflow: @NAME@, pinwheel/stage: plan}
data:
  @ROWS@
  run.sh: |
    set -euo pipefail
    # A setup that fails, for instance because of the network, is repeated; a failed step is not.
    trap 'exit 75' ERR
    @PREPARE@
    @KEEP@
    git clone --quiet "$REPOSITORY" /scratch/source
    cd /scratch/source
    git checkout --quiet --detach "$COMMIT"
    @SUBMODULES@
    if [ "$(pinwheel --version 2>/dev/null || true)" != "pinwheel @VERSION@" ]; then
      python3 -I -m venv /scratch/venv
      /scratch/venv/bin/python -I -m pip install --quiet --disable-pip-version-check "pinwheel-cli==@VERSION@"
      mkdir /scratch/bin && ln -s ../venv/bin/pinwheel /scratch/bin/pinwheel
      export PATH="/scratch/bin:$PATH"
    fi
    [ -z "${ROWS:-}" ] || STEP=$(sed -n "$((JOB_COMPLETION_INDEX + 1))p" "/etc/pinwheel/$ROWS")
    plan="/shared/@NAME@-$COMMIT.json"
    case "$STAGE" in
      plan) exec @PLAN@ ;;
      @DEVICE@
      build) exec @BUILD@ ;;
      test) exec @TEST@ ;;
      gate) exec @GATE@ ;;
    esac
)YAML";

// These exit codes of pinwheel are those of a failed step, a mistake or a check: another attempt
// would end the same. 4 is not among them, because a server may only be busy.
constexpr std::string_view kStageJob = R"YAML(
---
apiVersion: batch/v1
kind: Job
metadata:
  name: @JOB@
  labels: {pinwheel/workflow: @NAME@, pinwheel/stage: @STAGE@}
spec:
  @INDEXED@
  podFailurePolicy:
    rules:
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
      - action: @FAIL@
        onExitCodes:
          containerName: pinwheel
          operator: In
          values: [1, 2, 3, 5, 6, 7]
  template:
    metadata:
      labels: {pinwheel/workflow: @NAME@, pinwheel/stage: @STAGE@}
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      activeDeadlineSeconds: @SECONDS@
      @SELECTOR@
      containers:
        - name: pinwheel
          image: @IMAGE@
          command: [bash, /etc/pinwheel/run.sh]
          env:
            - {name: STAGE, value: @STAGE@}
            @ROWS@
            - name: REPOSITORY
              valueFrom: {configMapKeyRef: {name: pinwheel-run, key: repository}}
            - name: COMMIT
              valueFrom: {configMapKeyRef: {name: pinwheel-run, key: commit}}
            - {name: PINWHEEL_STORE_DOMAIN, value: @DOMAIN@}
            - {name: PINWHEEL_STATE_DIR, value: /scratch/state}
            - {name: PINWHEEL_CACHE_DIR, value: /scratch/cache}
            @LIMIT@
          @RESOURCES@
          volumeMounts:
            - {name: work, mountPath: /scratch}
            - {name: shared, mountPath: /shared}
            - {name: rows, mountPath: /etc/pinwheel}
      volumes:
        - name: work
          emptyDir: {}
        - name: shared
          persistentVolumeClaim: {claimName: pinwheel}
        - name: rows
          configMap: {name: @NAME@}
)YAML";

constexpr std::string_view kIndexed = R"YAML(
completionMode: Indexed
completions: @COUNT@
parallelism: @COUNT@
backoffLimitPerIndex: @BACKOFF@
maxFailedIndexes: @COUNT@
)YAML";

/// The results of a release are for releases only; those of other workflows may be of a branch.
std::string_view domain_of(WorkflowSet set) {
  return set == WorkflowSet::release ? "release" : "branch";
}

/// Rows whose pods have the same template.
struct Class {
  std::string name;  ///< "build", "test-arm64", "test-amd64-gpu-nvidia"
  std::string stage;
  std::string arch;
  std::string gpu;  ///< the resource of a GPU; empty: none
  std::vector<std::string> steps = {};
  size_t links = 1;  ///< the most pods that a build needs, one after the other
};

/// A resource of the device plugins of NVIDIA, AMD and Intel for the compute of a test.
std::string gpu_resource(const JobRow& row) {
  if (row.gpu != plan::NeedsGpu::yes) return {};
  if (row.compute.starts_with("rocm")) return "amd.com/gpu";
  if (row.compute.starts_with("xpu")) return "gpu.intel.com/i915";
  return "nvidia.com/gpu";
}

/// "nvidia" of "nvidia.com/gpu", "intel" of "gpu.intel.com/i915".
std::string vendor_of(const std::string& resource) {
  const std::string domain = resource.substr(0, resource.find(".com/"));
  return domain.substr(domain.rfind('.') + 1);
}

/// The value of Kubernetes' label for an architecture.
std::string node_arch(const std::string& arch) {
  if (arch == "x86_64") return "amd64";
  return arch == "aarch64" ? "arm64" : arch;
}

std::vector<Class> classes_of(std::string_view stage, const std::vector<JobRow>& rows) {
  std::vector<Class> classes;
  for (const JobRow& row : rows) {
    const std::string gpu = gpu_resource(row);
    const std::string arch = node_arch(row.arch);
    auto found = std::ranges::find_if(
        classes, [&](const Class& each) { return each.arch == arch && each.gpu == gpu; });
    if (found == classes.end()) {
      std::string name(stage);
      if (!arch.empty()) name += "-" + arch;
      if (!gpu.empty()) name += "-gpu-" + vendor_of(gpu);
      classes.push_back({std::move(name), std::string(stage), arch, gpu});
      found = classes.end() - 1;
    }
    found->steps.push_back(row.step);
    found->links = std::max(found->links, row.links);
  }
  return classes;
}

/// The lines of the ConfigMap with the steps of each class, one per line.
std::string rows_lines(const std::vector<Class>& classes) {
  std::string text;
  for (const Class& each : classes) {
    text += fmt::format("{}: |\n", each.name);
    for (const std::string& step : each.steps) text += fmt::format("  {}\n", step);
  }
  return text;
}

/// A command with the store of the volume and that of the matrix.
std::string pod_command(const WorkflowFacts& facts, std::string_view command) {
  std::string text = fmt::format("pinwheel {} --store dir:/shared/store", command);
  const std::string& store = facts.settings.store;
  return store.empty() ? text : fmt::format("{} --store {}", text, shell_quote(store));
}

std::string plan_command(const WorkflowFacts& facts) {
  std::string text = "pinwheel plan " + shell_quote(facts.matrix);
  if (!facts.channel.empty()) text += " --channel " + facts.channel;
  return text + " --out \"$plan\"";
}

std::string manifest_head(const WorkflowFacts& facts, std::string_view version,
                          const std::vector<Class>& classes) {
  const std::string build = pod_command(facts, "build --plan \"$plan\" --step \"$STEP\"");
  return filled(
      kManifestHead,
      {{"WRITTEN", written_line(facts.matrix)},
       {"NAME", workflow_name(facts.settings, facts.set)},
       {"ROWS", rows_lines(classes)},
       {"PREPARE", facts.settings.container.prepare},
       {"KEEP", own_lines("setup")},
       {"SUBMODULES", facts.submodules ? "git submodule --quiet update --init --recursive" : ""},
       {"VERSION", std::string(version)},
       {"PLAN", plan_command(facts)},
       {"DEVICE",
        facts.device_chunks == 0 ? std::string() : fmt::format("device) exec {} ;;", build)},
       {"BUILD", build},
       {"TEST", pod_command(facts, "test --plan \"$plan\" --step \"$STEP\" --reuse-only --gate")},
       {"GATE", pod_command(facts, "release --plan \"$plan\" --reuse-only --gate")}});
}

/// The time that a pod has for a build which another pod continues: an unfinished build fails its
/// pod, and the next pod finds the checkpoint in the store.
std::string limit_of_pod(const WorkflowFacts& facts, const Class& each) {
  if (each.links == 1) return {};
  return fmt::format("- {{name: PINWHEEL_TIME_LIMIT, value: {} min}}", job_limit(facts.settings));
}

std::string stage_job(const WorkflowFacts& facts, const Class& each) {
  const std::string name = workflow_name(facts.settings, facts.set);
  const bool indexed = !each.steps.empty();
  constexpr size_t kRepeated = 2;  // for pods that the cluster ends
  const std::string count = std::to_string(each.steps.size());
  const std::string backoff = std::to_string(kRepeated + each.links - 1);
  return filled(
      kStageJob,
      {{"JOB", name + "-" + each.name},
       {"STAGE", each.stage},
       {"DOMAIN", std::string(domain_of(facts.set))},
       {"INDEXED", indexed ? filled(kIndexed, {{"COUNT", count}, {"BACKOFF", backoff}})
                           : fmt::format("backoffLimit: {}", backoff)},
       {"LIMIT", limit_of_pod(facts, each)},
       {"FAIL", indexed ? "FailIndex" : "FailJob"},
       {"SECONDS", std::to_string(job_limit(facts.settings) * 60)},
       {"SELECTOR", each.arch.empty()
                        ? std::string()
                        : fmt::format("nodeSelector: {{kubernetes.io/arch: {}}}", each.arch)},
       {"IMAGE", yaml_string(facts.settings.container.image)},
       {"ROWS", indexed ? fmt::format("- {{name: ROWS, value: {}}}", each.name) : std::string()},
       {"RESOURCES", each.gpu.empty() ? std::string()
                                      : fmt::format("resources: {{limits: {{{}: 1}}}}", each.gpu)},
       {"NAME", name}});
}

}  // namespace

Result<std::string> kubernetes_manifest(const PlannedWorkflow& workflow, std::string_view version) {
  const WorkflowFacts& facts = workflow.facts;
  const std::string name = workflow_name(facts.settings, facts.set);
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
    return fail(ErrorKind::config,
                fmt::format("{} is no name that Kubernetes accepts", quoted(name)),
                "write `ci.name` with lowercase letters, digits and `-`");
  }
  if (facts.settings.container.image.empty()) {
    return fail(
        ErrorKind::config, fmt::format("the pods of {} have no image", quoted(name)),
        "name one with bash, git, Python and a compiler: `ci: {container: {image: IMAGE}}`");
  }
  std::vector<Class> classes = classes_of("device", workflow.rows.devices);
  for (Class& each : classes_of("build", workflow.rows.builds)) classes.push_back(std::move(each));
  for (Class& each : classes_of("test", workflow.rows.tests)) classes.push_back(std::move(each));
  for (const Class& each : classes) {
    if (name.size() + each.name.size() < kLongestName) continue;
    return fail(ErrorKind::config,
                fmt::format("the name of the job {} is too long for Kubernetes",
                            quoted(name + "-" + each.name)),
                "shorten `ci.name`");
  }
  std::string text = manifest_head(facts, version, classes);
  text += stage_job(facts, {.name = "plan", .stage = "plan", .arch = {}, .gpu = {}});
  for (const Class& each : classes) text += stage_job(facts, each);
  text += stage_job(facts, {.name = "gate", .stage = "gate", .arch = {}, .gpu = {}});
  return text + "---\n" + own_lines("objects");
}

std::vector<Error> kubernetes_warnings(const PlannedWorkflow& workflow) {
  const WorkflowFacts& facts = workflow.facts;
  std::vector<Error> warnings;
  if (facts.engine != container::Engine::host) {
    warnings.push_back(Error{ErrorKind::config,
                             "builds run in the image of `ci.container`, because pods have no "
                             "container engine"}
                           .with_hint("confirm the choice: `ci: {engine: host}`"));
  }
  if (facts.set != WorkflowSet::ci && !facts.publish.empty()) {
    warnings.push_back(Error{ErrorKind::config, "the manifest publishes nothing"}.with_hint(
        "publish after the gate, where the credentials are: `pinwheel release --plan FILE "
        "--reuse-only --store PLACE`"));
  }
  if (!facts.secrets.empty()) {
    warnings.push_back(
        Error{ErrorKind::config, fmt::format("the pods do not have {}", quoted_list(facts.secrets))}
            .with_hint("add `envFrom` with a Secret to their containers, for instance with "
                       "kustomize"));
  }
  if (!facts.settings.drivers.empty()) {
    warnings.push_back(Error{ErrorKind::config, "`ci.driver` has no effect in pods"}.with_hint(
        "install the driver and the device plugin on the nodes"));
  }
  for (Error& each : warnings) {
    each.message = fmt::format("{}: {}", workflow_name(facts.settings, facts.set), each.message);
  }
  return warnings;
}

}  // namespace pinwheel::ci
