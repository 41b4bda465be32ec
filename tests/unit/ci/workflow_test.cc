#include "ci/workflow.h"

#include "base/text.h"
#include "ci/composite.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"
#include "unit/catch.h"

namespace pinwheel::ci {
namespace {

WorkflowFacts example() {
  WorkflowFacts facts;
  facts.matrix = "matrix/demo.yaml";
  facts.channel = "release";
  facts.publish = {{"testpypi", matrix::TargetKind::testpypi, PublishAuth::trusted, "testpypi", {}},
                   {"wheels", matrix::TargetKind::directory, PublishAuth::none, {}, "dist/index"}};
  return facts;
}

size_t count(const std::string& text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a pull request gets read access, no secret and no publication", "[workflow]") {
  const std::string text = workflow_text(example(), WorkflowSet::ci);
  CHECK(has(text, "permissions:\n  contents: read\n"));
  CHECK_FALSE(has(text, "id-token"));
  CHECK_FALSE(has(text, "secrets."));
  CHECK_FALSE(has(text, "pull_request_target"));
  CHECK_FALSE(has(text, "publish-"));
  CHECK(has(text, "cancel-in-progress: ${{ github.event_name == 'pull_request' }}"));
}

TEST_CASE("a release publishes in jobs of their own, one after the other", "[workflow]") {
  const std::string text = workflow_text(example(), WorkflowSet::release);
  CHECK(has(text,
            "  publish-testpypi:\n    name: publish to testpypi\n    needs: [gate]\n"
            "    if: ${{ !cancelled() && needs.gate.result == 'success' }}\n"));
  CHECK(has(text,
            "  publish-wheels:\n    name: publish to wheels\n    needs: [publish-testpypi]\n"
            "    if: ${{ !cancelled() && needs.publish-testpypi.result == 'success' }}\n"));
  CHECK(has(text, "    environment: \"testpypi\"\n"));
  CHECK(count(text, "id-token: write") == 1);
  CHECK(has(text, "path: \"dist/index\""));
}

TEST_CASE("a release by hand takes the tag, not a branch of its name, and says who may deploy",
          "[workflow]") {
  WorkflowFacts facts = example();
  const std::string text = workflow_text(facts, WorkflowSet::release);
  const std::string ref =
      "${{ inputs.tag && format('refs/tags/{0}', inputs.tag) || github.ref }}\n";
  CHECK(count(text, "ref: " + ref) == 6);
  CHECK(has(text, "  group: ${{ github.workflow }}-" + ref));
  CHECK(has(text,
            "          persist-credentials: false\n"
            "      - name: Say what protected environments look at\n        if: "
            "inputs.tag && github.ref != format('refs/tags/{0}', inputs.tag)\n"));
  CHECK_FALSE(has(workflow_text(facts, WorkflowSet::nightly), "protected environments"));
  facts.publish.erase(facts.publish.begin());  // a directory has none
  CHECK_FALSE(has(workflow_text(facts, WorkflowSet::release), "protected environments"));
}

TEST_CASE("more rows than a matrix may have become more jobs", "[workflow]") {
  WorkflowFacts facts = example();
  facts.build_chunks = 2;
  facts.test_chunks = 3;
  const std::string text = workflow_text(facts, WorkflowSet::ci);
  CHECK(has(text, "\n  build-2:\n"));
  CHECK(has(text, "\n  test-3:\n"));
  CHECK(has(text, "needs: [plan, list-2, list-3, build, build-2, test, test-2, test-3]"));
  CHECK(has(text,
            "  list-3:\n    name: list part 3\n    needs: [plan]\n    runs-on: ubuntu-24.04\n"
            "    timeout-minutes: 30\n    outputs:\n"
            "      tests-3: ${{ steps.tests-3.outputs.text }}\n    steps:\n"));
  CHECK(has(text, "    needs: [plan, list-2]\n    if: contains(needs.list-2.outputs.builds-2, "));
  CHECK(has(text, "        include: ${{ fromJSON(needs.list-3.outputs.tests-3).include }}\n"));
  CHECK(has(text, "    needs: [plan, list-3, build, build-2]\n"));
  CHECK(has(workflow_text(facts, WorkflowSet::nightly),
            "    needs: [plan]\n    if: needs.plan.outputs.idle != 'true'\n"));
  CHECK(has(text, "--stage build --chunk 2/2\n"));
  CHECK(has(text, "--stage test --chunk 3/3\n"));
}

TEST_CASE("a job without rows is skipped, and holds no other back", "[workflow]") {
  WorkflowFacts facts = example();
  facts.build_chunks = 2;
  facts.secrets = {"LICENSE_KEY"};
  const std::string text = workflow_text(facts, WorkflowSet::ci);
  CHECK(has(text,
            "  test:\n    name: ${{ matrix.name }}\n    needs: [plan, build, build-2]\n    if: ${{ "
            "!cancelled() && !failure() && contains(needs.plan.outputs.tests-1, '\"step\"') }}\n"));
  // Of a fork, too.
  CHECK(has(text,
            "needs.build.result != 'success' || (needs.build-2.result != 'success' && "
            "needs.build-2.result != 'skipped')"));
}

TEST_CASE("secrets reach builds and tests alone, and no fork", "[workflow]") {
  WorkflowFacts facts = example();
  facts.secrets = {"LICENSE_KEY"};
  const std::string text = workflow_text(facts, WorkflowSet::ci);
  CHECK(count(text,
              "LICENSE_KEY: ${{ contains(matrix.secrets, 'LICENSE_KEY') && "
              "secrets.LICENSE_KEY || '' }} # zizmor: ignore[secrets-outside-env]\n") == 2);
  CHECK(count(text, "secrets.LICENSE_KEY ") == 2);
  // A row without secrets runs in a fork, too.
  CHECK(count(text,
              "if: matrix.trusted != true || "
              "github.event.pull_request.head.repo.fork != true\n") == 4);
  CHECK(count(text,
              "if: matrix.trusted && github.event.pull_request.head.repo.fork == true\n"
              "        run: echo \"::notice::a pull request from a fork gets no secrets") == 2);
  CHECK(has(text,
            "if: github.event.pull_request.head.repo.fork == true && "
            "(needs.build.result != 'success' || "
            "(needs.test.result != 'success' && needs.test.result != 'skipped'))\n"));
}

TEST_CASE("every action is pinned to a commit, with its version beside it", "[workflow]") {
  for (const WorkflowSet set : kWorkflowSets) {
    const std::string text = workflow_text(example(), set);
    size_t pinned_uses = 0;
    for (const Pin& pin : kPins) pinned_uses += count(text, "uses: " + pinned(pin.action) + "\n");
    for (const char* below : {"restore", "save"}) {
      pinned_uses += count(text, "uses: " + pinned("actions/cache", below) + "\n");
    }
    const size_t local_uses =
        count(text, "uses: ./.github/actions/pinwheel # zizmor: ignore[self-repository]\n");
    CHECK(pinned_uses + local_uses == count(text, "uses: "));
  }
}

TEST_CASE("settings change what they name", "[workflow]") {
  WorkflowFacts facts = example();
  facts.settings.paths = {"src/**", "it's"};
  facts.settings.nightly = "5 4 * * 1";
  facts.settings.timeout = std::chrono::minutes(90);
  facts.settings.concurrency = matrix::Outdated::queue;
  facts.settings.forks = matrix::ForkJobs::build;
  facts.settings.store = "s3://bucket/prefix";
  const std::string pulls = workflow_text(facts, WorkflowSet::ci);
  CHECK(count(pulls, "paths: [\"src/**\", \"it's\"]") == 1);
  CHECK(has(pulls, "cancel-in-progress: false"));
  CHECK(count(pulls, "timeout-minutes: ${{ matrix.limit || 90 }}\n") == 2);
  CHECK(has(pulls,
            "--store 'artifacts:${{ runner.temp }}/pinwheel-run/in' "
            "--store 'dir:${{ runner.temp }}/pinwheel-run/out' --store s3://bucket/prefix${{ "
            "github.event.pull_request.head.repo.fork == true && ',ro' || '' }}\"\n"));
  CHECK(has(workflow_text(facts, WorkflowSet::release), "--store s3://bucket/prefix\"\n"));
  CHECK(has(pulls, ", '\"step\"') && github.event.pull_request.head.repo.fork != true"));
  CHECK(has(workflow_text(facts, WorkflowSet::nightly), "- cron: \"5 4 * * 1\""));
}

TEST_CASE("a store has one way of access, in a fork that of a reader", "[workflow]") {
  WorkflowFacts facts = example();
  facts.settings.store = "dir:/mnt/a b,ro";
  CHECK(count(workflow_text(facts, WorkflowSet::ci), " --store 'dir:/mnt/a b,ro'\"\n") == 3);
  facts.settings.store = "dir:stores,rw";
  const std::string text = workflow_text(facts, WorkflowSet::ci);
  CHECK(count(text,
              " --store dir:stores${{ github.event.pull_request.head.repo.fork == true && "
              "',ro' || ',rw' }}\"\n") == 3);
  CHECK(has(workflow_text(facts, WorkflowSet::release), " --store dir:stores,rw\"\n"));
}

TEST_CASE("a nightly compares its plan with the last one, and remembers it at the end",
          "[workflow]") {
  WorkflowFacts facts = example();
  const std::string text = workflow_text(facts, WorkflowSet::nightly);
  CHECK(
      has(text,
          "args: plan --plan '${{ runner.temp }}/pinwheel-run/plan.json' --format fingerprint\n"));
  CHECK(count(text, "        if: steps.idle.outputs.idle != 'true'\n") == 3);
  CHECK(has(text, "steps.builds-1.outputs.text || '{\"include\":[]}' }}"));
  CHECK(has(text, "    if: always() && needs.plan.outputs.idle != 'true'\n"));
  CHECK(has(text,
            "    needs: [plan, publish-wheels]\n    if: ${{ !cancelled() && "
            "needs.publish-wheels.result == 'success' }}\n"));
  facts.publish.clear();
  CHECK(has(workflow_text(facts, WorkflowSet::nightly), "    needs: [plan, gate]\n"));
  for (const WorkflowSet set : {WorkflowSet::ci, WorkflowSet::release}) {
    CHECK_FALSE(has(workflow_text(facts, set), "last-night"));
    CHECK_FALSE(has(workflow_text(facts, set), "idle"));
    CHECK(has(workflow_text(facts, set), "    if: always()\n"));
  }
}

TEST_CASE("releases wait for each other, however many", "[workflow]") {
  const WorkflowFacts facts = example();
  const std::string release = workflow_text(facts, WorkflowSet::release);
  CHECK(has(release, "  cancel-in-progress: false\n  queue: max\n"));
  CHECK(has(release, "      cancel-in-progress: false\n      queue: max\n"));
  CHECK_FALSE(has(workflow_text(facts, WorkflowSet::ci), "queue:"));
}

TEST_CASE("a nightly alone compares its axes with upstream, whatever the indexes answer",
          "[workflow]") {
  const WorkflowFacts facts = example();
  const std::string text = workflow_text(facts, WorkflowSet::nightly);
  const std::string step = "continue-on-error: true\n        uses: " + facts.action +
                           "\n        with:\n          matrix: \"" + facts.matrix +
                           "\"\n          args: \"plan " + facts.matrix + " --upstream\"\n";
  CHECK(has(text, step));
  CHECK_FALSE(has(workflow_text(facts, WorkflowSet::ci), "--upstream"));
  CHECK_FALSE(has(workflow_text(facts, WorkflowSet::release), "--upstream"));
}

TEST_CASE("a pull request that changes no path of the matrix is idle, and its check has an answer",
          "[workflow]") {
  WorkflowFacts facts = example();
  facts.settings.paths = {"src/**", "it's"};
  const std::string text = workflow_text(facts, WorkflowSet::ci);
  CHECK(has(text, "git diff --quiet \"${BASE:-unknown}...HEAD\" -- " +
                      shell_quote(":(glob)src/**") + " " + shell_quote(":(glob)it's") +
                      "; then\n"));
  CHECK(has(text, "    if: always() && needs.plan.outputs.idle != 'true'\n"));
  CHECK(has(text, "if: steps.earlier.outcome != 'success' && steps.idle.outputs.idle != 'true'\n"));
  CHECK_FALSE(has(workflow_text(facts, WorkflowSet::release), "idle"));
  for (const char* undecidable : {"!docs/**", "**.cc", "a?", "${{ x }}"}) {
    facts.settings.paths = {"src/**", undecidable};
    const std::string filtered = workflow_text(facts, WorkflowSet::ci);
    CHECK(count(filtered, "  paths: [") == 2);
    CHECK_FALSE(has(filtered, "idle"));
  }
}

TEST_CASE("artifacts of pull requests and nightlies are kept for days", "[workflow]") {
  WorkflowFacts facts = example();
  CHECK(count(workflow_text(facts, WorkflowSet::ci), "retention-days: 14\n") == 3);
  CHECK(count(workflow_text(facts, WorkflowSet::release), "retention-days") == 0);
  facts.settings.retention = std::chrono::hours(25);
  CHECK(count(workflow_text(facts, WorkflowSet::nightly), "retention-days: 2\n") == 4);
  facts.settings.retention = {};
  CHECK(has(workflow_text(facts, WorkflowSet::nightly), "retention-days: 1\n"));
}

TEST_CASE("a job that is rerun takes what its earlier attempts finished", "[workflow]") {
  const std::string text = workflow_text(example(), WorkflowSet::release);
  CHECK(count(text, "pattern: '{plan,result-${{ matrix.artifact }}-*}'\n") == 2);
  // Attempts that lie in one another's files could not be told apart.
  CHECK_FALSE(has(text, "merge-multiple"));
  CHECK(count(text, "if-no-files-found: ${{ github.run_attempt > 1 && 'ignore' || 'error' }}\n") ==
        2);
  CHECK(count(text, "name: result-${{ matrix.artifact }}-${{ github.run_attempt }}\n") == 2);
}

TEST_CASE("no step takes a plan, a result or a fingerprint from the checkout", "[workflow]") {
  for (const WorkflowSet set : kWorkflowSets) {
    const std::string text = workflow_text(example(), set);
    CHECK_FALSE(has(text, "hashFiles"));
    for (const char* file : {"plan.json", "last-night.txt", "in\n", "out\n"}) {
      const std::string place = "${{ runner.temp }}/pinwheel-run/" + std::string(file);
      CHECK(count(text, " " + std::string(file)) == 0);
      CHECK(count(text, "/" + std::string(file)) == count(text, place));
    }
    // Artifacts that are downloaded without a path go into the checkout.
    CHECK(count(text, "uses: " + pinned("actions/download-artifact")) ==
          count(text, "path: ${{ runner.temp }}/pinwheel-run\n") +
              count(text, "path: ${{ runner.temp }}/pinwheel-run/in\n"));
    // One artifact alone would be unpacked without a directory of its name.
    CHECK(count(text, "pattern: ") == count(text, "pattern: '{plan,result-"));
  }
}

TEST_CASE("the action runs Python apart from the checkout", "[workflow]") {
  const std::string action = composite_action("1.2.3");
  CHECK(count(action, "python") ==
        count(action, "python3 -I -m venv") + count(action, "bin/python\" -I -m pip"));
  CHECK(count(action, "unset \"${!PYTHON@}\"\n          cd \"$RUNNER_TEMP\"\n") == 1);
}

TEST_CASE("a name tells the workflows of several matrices apart", "[workflow]") {
  WorkflowFacts facts = example();
  CHECK(workflow_name(facts.settings, WorkflowSet::ci) == "pinwheel-ci");
  facts.settings.name = "ops";
  const std::string text = workflow_text(facts, WorkflowSet::release);
  CHECK(workflow_name(facts.settings, WorkflowSet::release) == "pinwheel-ops-release");
  CHECK(has(text, "\nname: pinwheel-ops-release\n"));
  CHECK(has(text, "    name: pinwheel ops\n"));
  CHECK(has(text, "      group: pinwheel-ops-publish-testpypi\n"));
  CHECK(written_from(text) == "matrix/demo.yaml");
  CHECK(written_from("name: mine\n").empty());
  CHECK(written_from("").empty());
}

TEST_CASE("a driver is installed only where the matrix has a command for it", "[workflow]") {
  WorkflowFacts facts = example();
  CHECK(has(workflow_text(facts, WorkflowSet::ci), "args: doctor --json\n"));
  CHECK_FALSE(has(workflow_text(facts, WorkflowSet::ci), "install-driver"));
  facts.settings.drivers = {{"cuda/*", "get it"}};
  const std::string text = workflow_text(facts, WorkflowSet::ci);
  CHECK(has(text, "if: matrix.install-driver && "));
  CHECK(has(text, "COMMAND: ${{ matrix.install-driver }}"));
  CHECK_FALSE(has(text, "get it"));
}

TEST_CASE("jobs in a container prepare it before the checkout, which they trust", "[workflow]") {
  WorkflowFacts facts = example();
  CHECK_FALSE(has(workflow_text(facts, WorkflowSet::release), "container:"));
  CHECK_FALSE(has(workflow_text(facts, WorkflowSet::release), "safe.directory"));
  facts.settings.container = {"debian:12", "apt-get install \"git\""};
  const std::string text = workflow_text(facts, WorkflowSet::release);
  const size_t jobs = 6;  // plan, build, test, gate and two publications
  CHECK(count(text, "    container: \"debian:12\" # zizmor: ignore[unpinned-images]\n") == jobs);
  CHECK(count(text,
              "    steps:\n"
              "      - name: Prepare the container\n"
              "        run: \"apt-get install \\\"git\\\"\"\n"
              "      - uses: " +
                  pinned("actions/checkout")) == jobs);
  CHECK(count(text,
              "          persist-credentials: false\n"
              "      - name: Trust the checkout, which the runner's user owns\n") == jobs);
  const std::string digest = "debian@sha256:" + std::string(64, 'a');
  facts.settings.container = {digest, ""};
  const std::string plain = workflow_text(facts, WorkflowSet::ci);
  CHECK(count(plain, "    container: \"" + digest + "\"\n") == 4);
  CHECK_FALSE(has(plain, "Prepare the container"));
}

TEST_CASE("a template keeps indentation, drops empty places and searches no values", "[workflow]") {
  CHECK(filled("\na: @X@\n  @BLOCK@\n  @NONE@\n",
               {{"X", "@BLOCK@"}, {"BLOCK", "b:\n  - c\n"}, {"NONE", ""}}) ==
        "a: @BLOCK@\n  b:\n    - c\n");
  CHECK(yaml_string("a\n\"b\"") == "\"a\\n\\\"b\\\"\"");
  CHECK(yaml_list({"x", "y: z"}) == "[\"x\", \"y: z\"]");
}

TEST_CASE("the action installs the release that generated it", "[workflow]") {
  CHECK(has(composite_action("1.2.3"), "default: \"1.2.3\""));
  CHECK(is_composite_action(composite_action("1.2.3")));
  CHECK_FALSE(is_composite_action("name: pinwheel\n"));
}

}  // namespace pinwheel::ci
