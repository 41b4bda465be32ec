#include "ci/planned_workflow.h"

#include <set>

#include "ci/job.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/workflow.h"
#include "matrix/parse.h"
#include "matrix/selection.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

const std::string kHead = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes: {python: ["3.11", "3.12"], compute: [cpu]}
)";

const std::string kPublish = R"(
channels:
  ci: {publish: []}
  release: {publish: [pypi, testpypi, own, wheels]}
publish:
  pypi: {kind: pypi}
  testpypi: {kind: testpypi}
  own: {kind: index, url: "https://own.example.org/"}
  wheels: {kind: directory, path: ../dist/index}
)";

matrix::Matrix parsed(const std::string& yaml) {
  const Result<matrix::Matrix> matrix = matrix::parse(yaml, "m.yaml");
  INFO((matrix ? std::string() : render(matrix.error())));
  REQUIRE(matrix);
  return *matrix;
}

/// The workflow of a set for all variants of a matrix, which is `matrix/demo.yaml`.
ci::PlannedWorkflow planned(const std::string& yaml, ci::WorkflowSet set = ci::WorkflowSet::ci) {
  const matrix::Matrix matrix = parsed(yaml);
  const matrix::Expansion expansion = *matrix::expand(matrix);
  const plan::Outline outline = plan::make_outline(*matrix::abi_classes(matrix, expansion.variants),
                                                   *matrix::select(matrix, expansion, {}));
  const auto workflow = ci::plan_workflow(matrix, expansion, outline, set, "matrix/demo.yaml");
  INFO((workflow ? std::string() : render(workflow.error())));
  REQUIRE(workflow);
  return *workflow;
}

}  // namespace

TEST_CASE("a matrix gives the sets whose channels it declares, and always `ci`") {
  using ci::WorkflowSet;
  const matrix::Matrix plain = parsed(kHead);
  CHECK(*ci::sets_of(plain, {}) == std::vector{WorkflowSet::ci});
  CHECK(ci::channel_of(plain, WorkflowSet::ci).empty());
  const matrix::Matrix released = parsed(kHead + kPublish);
  CHECK(*ci::sets_of(released, {}) == std::vector{WorkflowSet::ci, WorkflowSet::release});
  CHECK(*ci::sets_of(released, {"release"}) == std::vector{WorkflowSet::release});
  CHECK(ci::channel_of(released, WorkflowSet::ci) == "ci");
  CHECK(ci::channel_of(released, WorkflowSet::nightly).empty());
  const auto nightly = ci::sets_of(released, {"nightly"});
  REQUIRE_FALSE(nightly);
  CHECK(nightly.error().kind == ErrorKind::config);
  CHECK(nightly.error().message == "`m.yaml` declares no channel `nightly`");
}

TEST_CASE("the target through which a channel publishes comes first") {
  std::string yaml = kHead + kPublish;
  const std::string old = "release: {publish: [pypi, testpypi, own, wheels]}";
  yaml.replace(yaml.find(old), old.size(), "release: {publish: [pypi, testpypi], through: own}");
  const ci::WorkflowFacts facts = planned(yaml, ci::WorkflowSet::release).facts;
  CHECK(facts.through == "own");
  REQUIRE(facts.publish.size() == 3);
  CHECK(facts.publish[0].target == "own");
  CHECK(facts.publish[1].target == "testpypi");
  CHECK(facts.publish[2].target == "pypi");
  CHECK(facts.publish[0].names == std::vector<std::string>{"demo"});
  CHECK(planned(kHead + kPublish, ci::WorkflowSet::release).facts.through.empty());
}

TEST_CASE("install tests have as many jobs as their rows need") {
  std::string yaml = kHead + kPublish;
  const std::string old = "release: {publish: [pypi, testpypi, own, wheels]}";
  yaml.replace(yaml.find(old), old.size(), "release: {publish: [pypi], through: testpypi}");
  CHECK(planned(yaml, ci::WorkflowSet::release).facts.install_chunks == 1);
  std::string flavors;
  for (int i = 0; i < 150; ++i) flavors += (i == 0 ? "f" : ", f") + std::to_string(i);
  yaml.replace(yaml.find("compute: [cpu]"), 14, "compute: [cpu], flavor: [" + flavors + "]");
  for (const std::string kind : {"{kind: pypi", "{kind: testpypi"}) {
    yaml.replace(yaml.find(kind + "}"), kind.size(), kind + ", default: cpu, others: name-suffix");
  }
  CHECK(planned(yaml, ci::WorkflowSet::release).facts.install_chunks == 2);
}

TEST_CASE("a test index is published to first, and who authenticates has an environment") {
  const ci::WorkflowFacts facts =
      planned(kHead + kPublish + "ci: {environments: {pypi: guarded}}\n", ci::WorkflowSet::release)
          .facts;
  CHECK(facts.channel == "release");
  CHECK(facts.matrix == "matrix/demo.yaml");
  REQUIRE(facts.publish.size() == 4);
  std::vector<std::string> targets;
  std::vector<std::string> environments;
  for (const ci::PublishJob& job : facts.publish) {
    targets.push_back(job.target);
    environments.push_back(job.environment);
    CHECK(job.names == std::vector<std::string>{"demo"});
  }
  CHECK(targets == std::vector<std::string>{"testpypi", "pypi", "own", "wheels"});
  CHECK(environments == std::vector<std::string>{"testpypi", "guarded", "own", ""});
  CHECK(facts.publish[2].auth == ci::PublishAuth::token);
  CHECK(facts.publish[3].directory == "dist/index");
}

TEST_CASE("steps run in containers of an engine if the matrix has containers for builds") {
  const std::string base = "environment: {container: {base: \"debian:12\"}}\n";
  CHECK(planned(kHead).facts.engine == container::Engine::host);
  CHECK(planned(kHead + base).facts.engine == container::Engine::docker);
  CHECK(planned(kHead + base + "ci: {engine: podman}\n").facts.engine == container::Engine::podman);
  const ci::PlannedWorkflow chosen = planned(kHead + base + "ci: {engine: host}\n");
  CHECK(chosen.facts.engine == container::Engine::host);
  CHECK(chosen.warnings.empty());
  const ci::PlannedWorkflow both =
      planned(kHead + base + "ci: {container: {image: \"debian:12\"}}\n");
  CHECK(both.facts.engine == container::Engine::host);
  REQUIRE(both.warnings.size() == 1);
  CHECK(both.warnings.front().message ==
        "pinwheel-ci: builds run in the image of `ci.container`, not in that of "
        "`environment.container`");
}

TEST_CASE("the job `plan` emulates containers of another architecture only") {
  const std::string base = "environment: {container: {base: \"debian:12\"}}\n";
  const auto of_arch = [](const std::string& arch) {
    return "schema: pinwheel/1\npackage: {name: demo, source: .}\naxes: {python: [\"3.11\"], arch: "
           "[" +
           arch + "]}\n";
  };
  CHECK_FALSE(planned(of_arch("x86_64") + base).facts.emulated);
  CHECK(planned(of_arch("x86_64, aarch64") + base).facts.emulated);
  CHECK_FALSE(planned(of_arch("aarch64")).facts.emulated);
}

TEST_CASE("a workflow has the secrets of its variants and as many jobs as its rows need") {
  std::string flavors = "f0";
  for (int i = 1; i < 300; ++i) flavors += ", f" + std::to_string(i);
  const ci::WorkflowFacts facts =
      planned(
          "schema: pinwheel/1\npackage: {name: demo, source: .}\n"
          "axes: {python: [\"3.11\"], flavor: [" +
          flavors + "]}\nenvironment: {secrets: [SECOND_KEY, FIRST_KEY]}\n")
          .facts;
  CHECK(facts.secrets == std::vector<std::string>{"FIRST_KEY", "SECOND_KEY"});
  CHECK(facts.build_chunks == 2);
  CHECK(facts.test_chunks == 2);
  CHECK(planned(kHead).facts.build_chunks == 1);
}

TEST_CASE("the job of a target authenticates by its kind, or by the matrix") {
  const auto auth = [](matrix::TargetKind kind, matrix::UploadAuth stated) {
    matrix::PublishTarget target;
    target.kind = kind;
    target.auth = stated;
    return ci::auth_of(target);
  };
  using matrix::TargetKind;
  using matrix::UploadAuth;
  CHECK(auth(TargetKind::pypi, UploadAuth::automatic) == ci::PublishAuth::trusted);
  CHECK(auth(TargetKind::testpypi, UploadAuth::automatic) == ci::PublishAuth::trusted);
  CHECK(auth(TargetKind::index, UploadAuth::automatic) == ci::PublishAuth::token);
  CHECK(auth(TargetKind::index, UploadAuth::none) == ci::PublishAuth::none);
  CHECK(auth(TargetKind::index, UploadAuth::trusted) == ci::PublishAuth::trusted);
  CHECK(auth(TargetKind::pypi, UploadAuth::token) == ci::PublishAuth::token);
  CHECK(auth(TargetKind::github_release, UploadAuth::automatic) == ci::PublishAuth::contents);
  CHECK(auth(TargetKind::s3, UploadAuth::automatic) == ci::PublishAuth::aws);
  for (const UploadAuth stated : matrix::kUploadAuths) {
    CHECK(auth(TargetKind::directory, stated) == ci::PublishAuth::none);
  }
  matrix::PublishTarget pages;
  pages.kind = TargetKind::directory;
  pages.files = "github";
  CHECK(ci::auth_of(pages) == ci::PublishAuth::reading);
}

TEST_CASE("a job that signs gets an identity, even with a token of its own") {
  const std::string yaml = kHead + R"(
channels: {release: {publish: [own]}}
publish: {own: {kind: index, url: "https://own.example.org/", attestations: always}}
)";
  const std::vector<ci::Job> jobs = ci::publish_jobs(planned(yaml, ci::WorkflowSet::release).facts);
  REQUIRE(jobs.size() == 1);
  const std::string text = ci::yaml_of(jobs[0]);
  CHECK(text.find("id-token: write # attestations are signed with it") != std::string::npos);
  CHECK(text.find("PINWHEEL_TOKEN_OWN: ${{ secrets.PINWHEEL_TOKEN_OWN }}") != std::string::npos);
}

TEST_CASE("a job that signs the files of a release on GitHub or of an own index gets an identity") {
  const std::string yaml = kHead + R"(
channels: {release: {publish: [github, own, bucket]}}
publish:
  github: {kind: github-release, label: local, attestations: always}
  own: {kind: directory, path: ../index, label: local, attestations: always}
  bucket: {kind: s3, bucket: "s3://acme/whl", label: local, attestations: always}
)";
  const std::vector<ci::Job> jobs = ci::publish_jobs(planned(yaml, ci::WorkflowSet::release).facts);
  REQUIRE(jobs.size() == 3);
  for (const ci::Job& job : jobs) {
    INFO(job.id);
    const std::string text = ci::yaml_of(job);
    CHECK(text.find("id-token: write # attestations are signed with it") != std::string::npos);
    const bool releases = text.find("contents: write # for the tag") != std::string::npos;
    CHECK(releases == (job.id.find("github") != std::string::npos));
  }
}

TEST_CASE("TestPyPI is the one index on which a release is tried out") {
  for (const matrix::TargetKind kind : matrix::kTargetKinds) {
    INFO(to_string(kind));
    CHECK(ci::is_trial(kind) == (kind == matrix::TargetKind::testpypi));
  }
}

TEST_CASE("a build that may outlast its job gets a chain of jobs") {
  const auto links = [](const std::string& build, const std::string& limit) {
    return planned(kHead + "build: {" + build + "}\nci: {timeout: " + limit + "}\n")
        .facts.build_links;
  };
  CHECK(links("timeout: 14 h", "6 h") == 1);
  CHECK(links("timeout: 14 h, checkpoint: {before: 30 min}", "6 h") == 3);
  CHECK(links("timeout: 2 h, checkpoint: {before: 30 min}", "6 h") == 1);
  CHECK(links("timeout: 100 h, checkpoint: {before: 9 min}", "10 min") == 20);
}

TEST_CASE("the jobs of a chain have the same rows and continue one another") {
  ci::WorkflowFacts facts = planned(kHead).facts;
  facts.build_links = 3;
  const std::vector<ci::Job> jobs = ci::build_jobs(facts, {});
  CHECK(ci::ids_of(jobs) == std::vector<std::string>{"build", "build-then-2", "build-then-3"});
  CHECK(jobs[1].needs == std::vector<std::string>{"plan", "build"});
  CHECK(jobs[2].needs == std::vector<std::string>{"plan", "build-then-2"});
  CHECK(jobs[2].rows == jobs[0].rows);
  const auto has = [&jobs](size_t job, std::string_view text) {
    return jobs[job].steps.find(text) != std::string::npos;
  };
  // Only the last job fails if the build is still unfinished.
  CHECK((has(0, "--unfinished-ok") && has(1, "--unfinished-ok") && !has(2, "--unfinished-ok")));
  CHECK((has(0, "--time-limit") && has(2, "--time-limit")));
  CHECK((has(0, "Upload the checkpoint") && has(2, "Download the checkpoint")));
  CHECK((!has(0, "id: before") && has(1, "id: before")));
  // A job whose build continues elsewhere has no result.
  CHECK((has(0, "if-no-files-found: ignore\n") && has(2, "&& 'ignore' || 'error'")));
  const ci::Job alone = ci::build_jobs(planned(kHead).facts, {}).front();
  CHECK(alone.steps.find("checkpoint") == std::string::npos);
}

TEST_CASE("checkpoints are stored for `ci.retention`, in a release too") {
  const auto stored = [](const std::string& ci) {
    const std::string yaml = kHead + kPublish + "ci: {" + ci + "}\n";
    ci::WorkflowFacts facts = planned(yaml, ci::WorkflowSet::release).facts;
    facts.build_links = 2;
    const std::string steps = ci::build_jobs(facts, {}).front().steps;
    const size_t upload = steps.find("- name: Upload the checkpoint");
    const size_t days = steps.find("retention-days: ", upload);
    return steps.substr(days, steps.find('\n', days) - days);
  };
  CHECK(stored("retention: 36 h") == "retention-days: 2");
  CHECK(stored("retention: 30 d") == "retention-days: 30");
  CHECK(stored("timeout: 6 h") == "retention-days: 7");
}

namespace {

const std::string kSplit = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes: {python: ["3.11"], compute: [cpu, cuda/13.0]}
abi: {python: none, compute: major}
overrides:
  - when: {compute: "cuda/*"}
    build: {arch-list: ["8.0", "9.0"], split: architectures}
)";

ci::Job job_named(const std::vector<ci::Job>& jobs, const std::string& id) {
  for (const ci::Job& job : jobs) {
    if (job.id == id) return job;
  }
  FAIL("no job is named " + id);
  return {};
}

}  // namespace

TEST_CASE("the device code of a split build is compiled in jobs before the builds") {
  const ci::PlannedWorkflow workflow = planned(kSplit);
  CHECK(workflow.facts.device_chunks == 1);
  REQUIRE(workflow.rows.devices.size() == 2);
  CHECK(workflow.rows.devices[0].step.starts_with("device:cu13@"));
  const std::vector<ci::Job> jobs = ci::make_workflow(workflow.facts).jobs;
  CHECK(ci::ids_of(jobs) ==
        std::vector<std::string>{"plan", "device", "build", "test", "gate", "compare"});
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  const ci::Job plan = job_named(jobs, "plan");
  CHECK(has(plan.steps, "--format github --stage device --chunk 1/1"));
  const ci::Job device = job_named(jobs, "device");
  CHECK(device.runner == ci::JobRunner::of_devices);
  CHECK(device.needs == std::vector<std::string>{"plan"});
  CHECK(device.rows == "needs.plan.outputs.devices-1");
  CHECK(has(device.steps, "build --plan "));
  CHECK_FALSE(has(device.steps, "--time-limit"));
  // A job whose wheel is in a store has no result.
  CHECK_FALSE(has(device.steps, "|| 'error'"));
  const ci::Job build = job_named(jobs, "build");
  CHECK(build.needs == std::vector<std::string>{"plan", "device"});
  CHECK(has(build.condition, "!failure() && contains(needs.plan.outputs.builds-1"));
  CHECK(has(build.steps, "result-${{ matrix.from }}-*"));
  CHECK(has(build.steps, "&& 'ignore' || 'error'"));
  // Nobody else downloads it.
  CHECK(has(job_named(jobs, "gate").steps, "'{plan,result-[!d]*}'"));
  CHECK_FALSE(has(job_named(jobs, "compare").steps, "result-*"));
}

TEST_CASE("without split builds, workflows have no jobs for device code") {
  const ci::WorkflowFacts facts = planned(kHead).facts;
  CHECK(facts.device_chunks == 0);
  CHECK(ci::device_jobs(facts).empty());
  const ci::Job build = ci::build_jobs(facts, {}).front();
  CHECK(build.condition == ci::has_rows(build));
  CHECK(build.steps.find("device") == std::string::npos);
}

TEST_CASE("a chain of builds receives the device code in each of its jobs") {
  ci::WorkflowFacts facts = planned(kSplit).facts;
  facts.build_links = 2;
  const std::vector<ci::Job> jobs = ci::build_jobs(facts, ci::device_jobs(facts));
  REQUIRE(ci::ids_of(jobs) == std::vector<std::string>{"build", "build-then-2"});
  CHECK(jobs[0].steps.find("if: matrix.from\n") != std::string::npos);
  CHECK(jobs[1].steps.find("if: (matrix.from) && (steps.before.outputs.unfinished == 'true')\n") !=
        std::string::npos);
  CHECK(jobs[1].needs == std::vector<std::string>{"plan", "device", "build"});
}

TEST_CASE("no job lists device code together with installations, which fill its outputs") {
  ci::WorkflowFacts facts = planned(kSplit).facts;
  facts.device_chunks = 2;
  CHECK(ci::device_lister(facts, 1) == "plan");
  CHECK(ci::device_lister(facts, 2) == "list-2");
  facts.through = "testpypi";
  facts.install_chunks = 3;
  CHECK(ci::device_lister(facts, 1) == "list-4");
  const std::vector<ci::Job> lists = ci::list_jobs(facts);
  REQUIRE(lists.size() == 4);
  for (const ci::Job& job : lists) {
    INFO(job.id);
    std::set<std::string> kinds;
    for (const auto& [name, expression] : job.outputs) kinds.insert(name.substr(0, name.find('-')));
    CHECK_FALSE((kinds.contains("devices") && kinds.contains("installs")));
    CHECK(kinds.size() <= 3);
  }
  const std::vector<ci::Job> devices = ci::device_jobs(facts);
  REQUIRE(devices.size() == 2);
  CHECK(devices[1].needs == std::vector<std::string>{"plan", "list-5"});
  CHECK(devices[1].rows == "needs.list-5.outputs.devices-2");
}
