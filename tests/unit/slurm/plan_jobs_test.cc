#include "slurm/plan_jobs.h"

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

JobClass request_of(JobKind kind, uint64_t megabytes = 100) {
  JobClass request;
  request.kind = kind;
  request.megabytes = megabytes;
  return request;
}

ReadyJob ready(const std::string& step, JobKind kind, std::vector<ElementRef> after = {}) {
  return {"token of " + step, step, request_of(kind), std::move(after)};
}

/// "0:a 1:b aftercorr:7", one text for each array.
std::vector<std::string> texts(const std::vector<JobArray>& arrays) {
  std::vector<std::string> out;
  for (const JobArray& array : arrays) {
    std::string text;
    for (const auto& [index, element] : array.elements) {
      CHECK(element.token == "token of " + element.step);
      text += std::to_string(index) + ":" + element.step + " ";
    }
    out.push_back(text + dependency_text(array));
  }
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("steps with one request are one array") {
  std::vector<ReadyJob> jobs = {ready("a", JobKind::build), ready("b", JobKind::build),
                                ready("c", JobKind::test), ready("d", JobKind::build)};
  jobs[3].request.megabytes = 200;
  CHECK(texts(plan_arrays(jobs, 100)) == Texts{"0:a 1:b ", "0:c ", "0:d "});
}

TEST_CASE("an array has no index beyond the limit of the cluster") {
  std::vector<ReadyJob> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(ready(std::to_string(i), JobKind::build));
  CHECK(texts(plan_arrays(jobs, 2)) == Texts{"0:0 1:1 ", "0:2 1:3 ", "0:4 "});
}

TEST_CASE("a test has the index of its build and waits for that alone") {
  const std::vector<ReadyJob> jobs = {ready("ta", JobKind::test, {{"7", 4}}),
                                      ready("tb", JobKind::test, {{"7", 2}})};
  CHECK(texts(plan_arrays(jobs, 100)) == Texts{"2:tb 4:ta aftercorr:7"});
}

TEST_CASE("thousands of tests of one build are in as few arrays as the cluster allows") {
  std::vector<ReadyJob> jobs;
  for (int i = 0; i < 20'000; ++i) {
    jobs.push_back(ready(std::to_string(i), JobKind::test, {{"7", 0}}));
  }
  const std::vector<JobArray> arrays = plan_arrays(jobs, 1000);
  REQUIRE(arrays.size() == 20);
  for (const JobArray& array : arrays) CHECK(array.elements.size() == 1000);
  CHECK(dependency_text(arrays.back()) == "afterok:7_0");
}

TEST_CASE("several tests of one build are in several arrays") {
  const std::vector<ReadyJob> jobs = {
      ready("ta", JobKind::test, {{"7", 0}}), ready("tb", JobKind::test, {{"7", 1}}),
      ready("tc", JobKind::test, {{"7", 2}}), ready("td", JobKind::test, {{"7", 0}})};
  CHECK(texts(plan_arrays(jobs, 100)) == Texts{"0:ta 1:tb 2:tc aftercorr:7", "0:td aftercorr:7"});
}

TEST_CASE("builds of one environment are one array that waits for it") {
  const std::vector<ReadyJob> jobs = {
      ready("a", JobKind::build, {{"5", 0}}), ready("b", JobKind::build, {{"5", 0}}),
      ready("c", JobKind::build, {{"5", 1}}), ready("d", JobKind::build, {{"5", 0}})};
  CHECK(texts(plan_arrays(jobs, 100)) == Texts{"0:a 1:b 2:d afterok:5_0", "0:c afterok:5_1"});
}

TEST_CASE("all elements of an array wait for the needs that they share") {
  const std::vector<ReadyJob> jobs = {ready("ta", JobKind::test, {{"6", 3}, {"7", 0}}),
                                      ready("tb", JobKind::test, {{"6", 3}, {"7", 1}}),
                                      ready("tc", JobKind::test, {{"6", 4}, {"7", 2}}),
                                      ready("td", JobKind::test, {{"8", 0}})};
  CHECK(texts(plan_arrays(jobs, 100)) == Texts{"0:ta 1:tb aftercorr:7,afterok:6_3",
                                               "2:tc aftercorr:7,afterok:6_4", "0:td afterok:8_0"});
}

}  // namespace pinwheel::slurm
