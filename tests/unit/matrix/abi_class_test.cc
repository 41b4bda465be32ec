#include "unit/matrix/parsed.h"

using namespace pinwheel;
using namespace pinwheel::matrix;
using testing::parsed;
using testing::value_of;

namespace {

using Names = std::vector<std::string>;

std::vector<AbiClass> classes(const std::string& body) {
  const Matrix matrix = parsed(body);
  return value_of(abi_classes(matrix, value_of(expand(matrix)).variants));
}

const std::string kAxes =
    "axes:\n"
    "  python: ['3.12', '3.11']\n"
    "  compute: [cpu, cuda/13.2, cuda/13.0, cuda/12.6]\n"
    "  torch: [nightly, '2.13', '2.10']\n"
    "  arch: [x86_64]\n";

}  // namespace

TEST_CASE("a stable ABI leaves one class per compute family and machine") {
  const auto all = classes(kAxes + "abi: {python: none, torch: stable(2.10), compute: major}\n");
  REQUIRE(all.size() == 3);
  CHECK(all[0].id == "cpu-x86_64");
  CHECK(all[1].id == "cu13-x86_64");
  CHECK(all[2].id == "cu12-x86_64");
  CHECK(all[0].members.size() == 6);
  CHECK(all[1].members.size() == 12);
  CHECK(all[0].representative == "cp311-cpu-torch2.10-x86_64");
  CHECK(all[1].representative == "cp311-cu130-torch2.10-x86_64");
}

TEST_CASE("a classic ABI has every axis in its classes") {
  const auto all = classes(kAxes);
  REQUIRE(all.size() == 24);
  CHECK(all[0].id == "cp312-cpu-torchnightly-x86_64");
  CHECK(all[0].members == Names{all[0].id});
  CHECK(all[0].representative == all[0].id);
}

TEST_CASE("a classic ABI reduces torch to its minor version") {
  const auto all = classes("axes: {torch: ['2.13.1', '2.13.0', '2.10.0']}\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].id == "torch2.13");
  CHECK(all[0].representative == "torch2.13.0");
  CHECK(all[1].id == "torch2.10");
}

TEST_CASE("the binary depends on every axis that abi does not name") {
  const auto all =
      classes("axes: {python: ['3.11', '3.12'], cxx11abi: ['0', '1']}\nabi: {python: none}\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].id == "0");
  CHECK(all[1].id == "1");
}

TEST_CASE("a class with no axes left is called any") {
  const auto all = classes("axes: {python: ['3.11', '3.12']}\nabi: {python: limited(3.10)}\n");
  REQUIRE(all.size() == 1);
  CHECK(all[0].id == "any");
  CHECK(all[0].members == Names{"cp311", "cp312"});
}

TEST_CASE("a Python without the limited API gets a class of its own if the matrix requests it") {
  const auto all = classes(
      "axes: {python: ['3.9', '3.11', '3.12', '3.13', '3.14t']}\n"
      "abi: {python: limited(3.12) else version}\n");
  REQUIRE(all.size() == 4);
  CHECK(all[0].id == "cp39");
  CHECK(all[1].id == "cp311");
  CHECK(all[2].id == "any");
  CHECK(all[2].representative == "cp312");
  CHECK(all[2].members == std::vector<std::string>{"cp312", "cp313"});
  CHECK(all[3].id == "cp314t");
}

TEST_CASE("an unmaintained variant represents a class only where nothing else can") {
  const std::string rules =
      "abi: {python: none, compute: exact}\n"
      "rules: [{when: {python: '3.9'}, status: unmaintained},\n"
      "        {when: {compute: rocm/7.1}, status: unmaintained}]\n";
  const auto all = classes("axes: {python: ['3.9', '3.10'], compute: [cpu, rocm/7.1]}\n" + rules);
  REQUIRE(all.size() == 2);
  CHECK(all[0].members == Names{"cp39-cpu", "cp310-cpu"});
  CHECK(all[0].representative == "cp310-cpu");
  CHECK(all[1].representative == "cp39-rocm7.1");
}

TEST_CASE("build.with names the representative, which must be a member of the class") {
  const std::string body =
      "axes: {python: ['3.10', '3.11'], compute: [cpu, cuda/13.0]}\nabi: {python: none}\n";
  const auto all =
      classes(body + "overrides: [{when: {compute: cpu}, build: {with: cp311-cpu}}]\n");
  CHECK(all[0].representative == "cp311-cpu");
  CHECK(all[1].representative == "cp310-cu130");

  const Matrix wrong =
      parsed(body + "overrides: [{when: {compute: cpu}, build: {with: cp312-cpu}}]\n");
  const auto result = abi_classes(wrong, value_of(expand(wrong)).variants);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().kind == ErrorKind::config);
  CHECK(result.error().message ==
        "`with` must name a member of class `cpu`, and `cp312-cpu` is not one");
  CHECK(result.error().at->line == 5);
  CHECK(result.error().hint == "did you mean `cp310-cpu`?");
}
