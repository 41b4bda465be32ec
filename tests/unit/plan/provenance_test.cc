#include "plan/provenance.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

using namespace pinwheel;

namespace {

const std::string kNeed(64, 'e');

plan::StepOutcome finished_build() {
  plan::StepOutcome build;
  build.id = "build:cu130";
  build.key = std::string(64, 'a');
  build.parts = {{"action", "\"build-wheel\""},
                 {"variables.CFLAGS", "-O2"},
                 {"tags", R"(["cp312","cp312"])"},
                 {"toolchain", "g++ 12.2.0"},
                 {"source.digest", std::string(64, '5')},
                 {"needs env:45f5b2273608", kNeed},
                 {"needs toolkit:x", "\"12\""}};
  plan::AttemptTrace failed;
  plan::AttemptTrace last;
  const plan::TraceTime start{std::chrono::milliseconds(1'000)};
  last.ran = plan::TraceSpan{start, start + std::chrono::seconds(90)};
  build.trace = {failed, last};
  return build;
}

nlohmann::json predicate_of(const plan::StepOutcome& build, const plan::BuildInputs& inputs,
                            const plan::BuilderJob& job) {
  return nlohmann::json::parse(plan::provenance_predicate(build, inputs, job));
}

nlohmann::json dependency_named(const nlohmann::json& predicate, const std::string& member,
                                const std::string& value) {
  for (const auto& each : predicate["buildDefinition"]["resolvedDependencies"]) {
    if (each.value(member, "") == value) return each;
  }
  return nullptr;
}

const std::map<std::string, std::string> kGithubVariables = {
    {"GITHUB_ACTIONS", "true"},
    {"GITHUB_SERVER_URL", "https://github.com"},
    {"GITHUB_REPOSITORY", "acme/ops"},
    {"GITHUB_WORKFLOW_REF", "acme/ops/.github/workflows/release.yml@refs/tags/v1"},
    {"GITHUB_RUN_ID", "8"},
    {"GITHUB_RUN_ATTEMPT", "2"}};

}  // namespace

TEST_CASE("provenance states the build number of a re-cut as a parameter") {
  plan::StepOutcome build = finished_build();
  build.parts["build-number"] = "3";
  const nlohmann::json predicate = predicate_of(build, {}, {});
  CHECK(predicate["buildDefinition"]["externalParameters"]["parameters"]["build-number"] == 3);
}

TEST_CASE("provenance has the parameters of the build and its inputs by digest") {
  const std::string commit(40, 'c');
  const plan::BuildInputs inputs{commit,
                                 {{"python", {"3.12.7"}},
                                  {"torch", {"2.13.0+cu130", std::string(64, '7')}},
                                  {"conda:zlib", {"1.3.1 h4ab18f5_1", std::string(64, '8')}},
                                  {"absent:triton", {"3.5"}}}};
  const plan::BuilderJob job = plan::builder_job(kGithubVariables, "0.1.0");
  const nlohmann::json predicate = predicate_of(finished_build(), inputs, job);
  const nlohmann::json& definition = predicate["buildDefinition"];
  CHECK(definition["buildType"] == "urn:pinwheel:build:1");
  const nlohmann::json& stated = definition["externalParameters"];
  CHECK(stated["step"] == "build:cu130");
  CHECK(stated["parameters"] == nlohmann::json{{"action", "build-wheel"},
                                               {"variables.CFLAGS", "-O2"},
                                               {"tags", {"cp312", "cp312"}}});
  CHECK(definition["internalParameters"] == nlohmann::json{{"key", std::string(64, 'a')},
                                                           {"reused", false},
                                                           {"toolchain", "g++ 12.2.0"}});

  CHECK(dependency_named(predicate, "name", "commit") ==
        nlohmann::json{{"name", "commit"},
                       {"uri", "git+https://github.com/acme/ops@" + commit},
                       {"digest", {{"gitCommit", commit}}}});
  CHECK(dependency_named(predicate, "name", "source")["digest"]["sha256"] == std::string(64, '5'));
  CHECK(dependency_named(predicate, "name", "env:45f5b2273608")["digest"]["sha256"] == kNeed);
  CHECK(dependency_named(predicate, "name", "toolkit:x").is_null());  // no digest
  CHECK(dependency_named(predicate, "uri", "pkg:pypi/torch@2.13.0%2Bcu130")["digest"]["sha256"] ==
        std::string(64, '7'));
  CHECK(dependency_named(predicate, "uri", "pkg:conda/zlib@1.3.1").is_object());
  CHECK(dependency_named(predicate, "uri", "pkg:generic/python@3.12.7").size() == 1);
  CHECK(definition["resolvedDependencies"].size() == 6);
}

TEST_CASE("provenance names the builder, the run and the time of the last attempt") {
  const plan::BuilderJob job = plan::builder_job(kGithubVariables, "0.1.0");
  const nlohmann::json details = predicate_of(finished_build(), {}, job)["runDetails"];
  CHECK(details["builder"] ==
        nlohmann::json{
            {"id", "https://github.com/acme/ops/.github/workflows/release.yml@refs/tags/v1"},
            {"version", {{"pinwheel", "0.1.0"}}}});
  CHECK(details["metadata"] ==
        nlohmann::json{{"invocationId", "https://github.com/acme/ops/actions/runs/8/attempts/2"},
                       {"startedOn", "1970-01-01T00:00:01.000Z"},
                       {"finishedOn", "1970-01-01T00:01:31.000Z"}});

  const plan::BuilderJob runner =
      plan::builder_job({{"GITLAB_CI", "true"},
                         {"CI_PROJECT_URL", "https://gitlab.com/acme/ops"},
                         {"CI_JOB_URL", "https://gitlab.com/acme/ops/-/jobs/7"},
                         {"CI_RUNNER_ID", "12"}},
                        "0.1.0");
  CHECK(runner.id == "https://gitlab.com/acme/ops/-/runners/12");
  CHECK(runner.run == "https://gitlab.com/acme/ops/-/jobs/7");
}

TEST_CASE("the URL of a run on GitHub needs the server, the repository and the run") {
  CHECK(plan::github_run(kGithubVariables) == "https://github.com/acme/ops/actions/runs/8");
  for (const char* const name : {"GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"}) {
    INFO(name);
    std::map<std::string, std::string> without = kGithubVariables;
    without.erase(name);
    CHECK(plan::github_run(without).empty());
    CHECK(plan::builder_job(without, "0.1.0").run.empty());
  }
  // GitHub states the attempt of every run; another server may not.
  std::map<std::string, std::string> first = kGithubVariables;
  first.erase("GITHUB_RUN_ATTEMPT");
  CHECK(plan::builder_job(first, "0.1.0").run ==
        "https://github.com/acme/ops/actions/runs/8/attempts/1");
}

TEST_CASE("provenance shows no credentials of an index") {
  plan::StepOutcome build = finished_build();
  build.parts["environment.torch"] = R"(["2.13","https://user:canary@host.example/whl"])";
  build.parts["environment.requirements"] = R"(["x @ https://user:canary@host.example/x.whl"])";
  const std::string text = plan::provenance_predicate(build, {}, {});
  CHECK(text.find("canary") == std::string::npos);
  CHECK(text.find("https://host.example/whl") != std::string::npos);
}

TEST_CASE("provenance of a machine and of a reused result states nothing that is unknown") {
  plan::StepOutcome build = finished_build();
  build.trace.clear();
  build.reused_from = "journal";
  // The variables of a job say nothing outside of it.
  std::map<std::string, std::string> variables = kGithubVariables;
  variables.erase("GITHUB_ACTIONS");
  const nlohmann::json predicate = predicate_of(build, {}, plan::builder_job(variables, "0.1.0"));
  CHECK(predicate["runDetails"]["builder"]["id"] == "urn:pinwheel:machine");
  CHECK(predicate["runDetails"]["metadata"].empty());
  CHECK(predicate["buildDefinition"]["internalParameters"]["reused"] == true);
  CHECK(dependency_named(predicate, "name", "commit").is_null());
}
