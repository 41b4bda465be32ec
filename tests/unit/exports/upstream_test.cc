#include "exports/upstream.h"

#include <fmt/format.h>

#include "matrix/expand.h"
#include "matrix/parse.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono;
using Texts = std::vector<std::string>;

namespace {

constexpr const char* kMatrix = R"(schema: pinwheel/1
package: {name: demo, source: ..}
axes:
  python: ["3.11", "3.12"]
  compute: [cpu, cuda/13.0, rocm/7.1]
  torch: ["2.13", nightly]
abi: {python: version, torch: minor, compute: exact}
environment:
  torch:
    spec: {nightly: "--pre torch", default: "torch~={torch}.0"}
    index:
      nightly: "https://w.example/whl/nightly/{label}/"
      default: "https://w.example/whl/{label}"
)";

struct Given {
  matrix::Matrix matrix;
  std::vector<matrix::Variant> variants;
};

Given given(const std::string& text = kMatrix) {
  matrix::Matrix matrix = matrix::parse(text, "m.yaml").value();
  std::vector<matrix::Variant> variants = matrix::expand(matrix).value().variants;
  return {std::move(matrix), std::move(variants)};
}

/// The builds of one version, for each label and Python.
std::vector<TorchBuild> builds(const std::string& torch, const std::string& date,
                               const Texts& labels, const Texts& pythons) {
  std::vector<TorchBuild> out;
  for (const std::string& label : labels) {
    for (const std::string& python : pythons) out.push_back({torch, date, label, python, "x86_64"});
  }
  return out;
}

const Texts kLabels = {"cpu", "cu130", "rocm7.1"};

/// The lists joined, each change as "appeared torch 2.16: ...".
Texts changes(std::vector<TorchBuild> first, const std::vector<TorchBuild>& second,
              const Given& of = given(), year_month today = year(2026) / January) {
  first.insert(first.end(), second.begin(), second.end());
  const Upstream upstream = compare_upstream(of.matrix, of.variants, first, today);
  Texts out;
  for (const UpstreamChange& each : upstream.changes) {
    out.push_back(
        fmt::format("{} {} {}: {}", to_string(each.event), each.axis, each.value, each.detail));
    CHECK(each.at.file == "m.yaml");
  }
  for (const UpstreamLine& line : upstream.lines) {
    out.push_back(fmt::format("{}: {}", line.at.line, line.text));
  }
  return out;
}

}  // namespace

TEST_CASE("a build of torch is read from its file name") {
  const auto build = torch_build("torch-2.13.1+cu130-cp313-cp313t-manylinux_2_28_x86_64.whl");
  REQUIRE(build);
  CHECK(*build == TorchBuild{"2.13", "", "cu130", "3.13t", "x86_64"});
  CHECK(*torch_build("torch-2.13.0-cp310-cp310-manylinux2014_aarch64.whl") ==
        TorchBuild{"2.13", "", "", "3.10", "aarch64"});
  CHECK(*torch_build("torch-2.16.0.dev20261124+rocm7.1-cp312-cp312-linux_x86_64.whl") ==
        TorchBuild{"nightly", "20261124", "rocm7.1", "3.12", "x86_64"});
  for (const char* other :
       {"torch-2.13.0-cp312-cp312-win_amd64.whl",
        "torch-2.13.0rc1+cpu-cp312-cp312-linux_x86_64.whl",
        "torch-2.13.0-cp312-none-macosx_11_0_arm64.whl", "torch-2.13.0.tar.gz",
        "torch-2.13.0.dev5-cp312-cp312-linux_x86_64.whl", "x",
        "torch-2-cp312-cp312-linux_x86_64.whl", "torchvision-0.20.0-cp312-cp312-linux_x86_64.whl",
        "torch-2.0.0-pp39-pypy39_pp73-linux_x86_64.whl"}) {
    INFO(other);
    CHECK_FALSE(torch_build(other));
  }
}

TEST_CASE("a label is a compute") {
  CHECK(compute_of_label("cu130") == "cuda/13.0");
  CHECK(compute_of_label("cu92") == "cuda/9.2");
  CHECK(compute_of_label("rocm7.1") == "rocm/7.1");
  for (const char* other : {"", "cpu", "xpu", "cu", "cu1", "cuda", "cpu.cxx11.abi", "rocm"}) {
    CHECK(compute_of_label(other).empty());
  }
}

TEST_CASE("indexes are asked once, for all of their labels") {
  const Given of = given();
  const auto indexes = upstream_indexes(of.matrix, of.variants).value();
  const std::string root = "https://w.example/whl";
  CHECK(indexes ==
        std::vector<UpstreamIndex>{
            {root, {root + "/cpu", root + "/cu130", root + "/rocm7.1"}},
            {root + "/nightly",
             {root + "/nightly/cpu", root + "/nightly/cu130", root + "/nightly/rocm7.1"}}});
}

TEST_CASE("XPU has one index, a declared compute that of its label") {
  const Given of = given(
      "schema: pinwheel/1\npackage: {name: demo, source: ..}\n"
      "axes: {compute: [xpu/2025.1, gaudi/1.22], torch: ['2.13']}\n"
      "computes: {gaudi/1.22: {label: hpu122, index: 'https://h.example/{label}/'}}\n"
      "abi: {torch: minor}\n"
      "environment: {torch: {spec: torch, index: 'https://w.example/{compute.family}'}}\n");
  CHECK(upstream_indexes(of.matrix, of.variants).value() ==
        std::vector<UpstreamIndex>{{"https://w.example", {"https://w.example/xpu"}},
                                   {"https://h.example", {"https://h.example/hpu122"}}});
}

TEST_CASE("an index without a label, pip's, and a matrix without torch") {
  const std::string head =
      "schema: pinwheel/1\npackage: {name: demo, source: ..}\naxes:\n  python: [\"3.12\"]\n";
  Given of = given(head +
                   "  torch: [\"2.13\"]\nabi: {python: version, torch: minor}\n"
                   "environment: {torch: {spec: torch, index: \"https://w.example/a/\"}}\n");
  CHECK(upstream_indexes(of.matrix, of.variants).value() ==
        std::vector<UpstreamIndex>{{"https://w.example/a", {"https://w.example/a"}}});
  of = given(head +
             "  torch: [\"2.13\"]\nabi: {python: version, torch: minor}\n"
             "environment: {torch: {spec: torch}}\n");
  CHECK(upstream_indexes(of.matrix, of.variants).value() == std::vector<UpstreamIndex>{{}});
  of = given(head + "abi: {python: version}\n");
  CHECK(upstream_indexes(of.matrix, of.variants).value().empty());
}

TEST_CASE("nothing is told where the axes are up to date") {
  const Texts pythons = {"3.11", "3.12"};
  CHECK(
      changes(builds("2.13", "", kLabels, pythons), builds("nightly", "20261124", kLabels, pythons))
          .empty());
}

TEST_CASE("what is older than the axis, and kinds that it does not have, stay left out") {
  const Texts pythons = {"3.10", "3.11", "3.12", "3.13t"};
  const Texts labels = {"cpu", "cu126", "cu130", "rocm7.0", "rocm7.1", "xpu"};
  std::vector<TorchBuild> old = builds("2.9", "", labels, pythons);
  for (const auto& each : builds("2.13", "", labels, pythons)) old.push_back(each);
  CHECK(changes(old, builds("nightly", "20261124", labels, pythons)).empty());
}

TEST_CASE("a new release brings its labels and Pythons") {
  std::vector<TorchBuild> there = builds("2.13", "", kLabels, {"3.11", "3.12"});
  for (const auto& each : builds("2.14", "", {"cpu", "cu130", "rocm7.1"}, {"3.12", "3.13"})) {
    there.push_back(each);
  }
  CHECK(changes(there, builds("nightly", "20261124", kLabels, {"3.11", "3.12"})) ==
        Texts{"appeared torch 2.14: cpu, cu130, rocm7.1; Python 3.12, 3.13",
              "appeared python 3.13: torch 2.14", "6: torch: [\"2.13\", \"2.14\", nightly]",
              "4: python: [\"3.11\", \"3.12\", \"3.13\"]"});
}

TEST_CASE("releases are told as versions, 2.9 before 2.10") {
  const Given of = given(
      "schema: pinwheel/1\npackage: {name: demo, source: ..}\naxes:\n  python: [\"3.11\"]\n"
      "  torch: [\"2.8\"]\nabi: {python: version, torch: minor}\n"
      "environment: {torch: {spec: torch}}\n");
  std::vector<TorchBuild> there = builds("2.10", "", {"cpu"}, {"3.11"});
  for (const char* older : {"2.9", "2.8"}) {
    for (const auto& each : builds(older, "", {"cpu"}, {"3.11"})) there.push_back(each);
  }
  CHECK(changes(there, {}, of) == Texts{"appeared torch 2.9: cpu; Python 3.11",
                                        "appeared torch 2.10: cpu; Python 3.11",
                                        "5: torch: [\"2.8\", \"2.9\", \"2.10\"]"});
}

TEST_CASE("a new label of a nightly is told, and the nightly of last week is not one") {
  const Texts pythons = {"3.11", "3.12"};
  std::vector<TorchBuild> nightly =
      builds("nightly", "20261124", {"cpu", "cu130", "cu134", "rocm7.1"}, pythons);
  for (const auto& each : builds("nightly", "20261101", {"cu140"}, pythons)) {
    nightly.push_back(each);
  }
  CHECK(changes(builds("2.13", "", kLabels, pythons), nightly) ==
        Texts{"appeared compute cuda/13.4: torch nightly",
              "5: compute: [cpu, cuda/13.0, cuda/13.4, rocm/7.1]"});
}

TEST_CASE("a label that vanished from one torch is a rule, from all of them a value to remove") {
  const Texts pythons = {"3.11", "3.12"};
  const auto release = builds("2.13", "", kLabels, pythons);
  CHECK(changes(release, builds("nightly", "20261124", {"cpu", "rocm7.1"}, pythons)) ==
        Texts{"vanished compute cuda/13.0: not of torch nightly",
              "0: rules: - {when: {compute: [cuda/13.0], torch: [nightly]}, status: unsupported}"});
  CHECK(changes(builds("2.13", "", {"cpu", "rocm7.1"}, pythons),
                builds("nightly", "20261124", {"cpu", "rocm7.1"}, pythons)) ==
        Texts{"vanished compute cuda/13.0: no build of torch is for it",
              "5: compute: [cpu, rocm/7.1]"});
  CHECK(changes(release, {}) ==
        Texts{"vanished torch nightly: no build of torch is for it", "6: torch: [\"2.13\"]"});
}

TEST_CASE("a Python that vanished from a torch is told with the computes that lack it") {
  std::vector<TorchBuild> nightly =
      builds("nightly", "20261124", {"cpu", "rocm7.1"}, {"3.11", "3.12"});
  for (const auto& each : builds("nightly", "20261124", {"cu130"}, {"3.12"})) {
    nightly.push_back(each);
  }
  CHECK(changes(builds("2.13", "", kLabels, {"3.11", "3.12"}), nightly) ==
        Texts{"vanished python 3.11: not of torch nightly for cuda/13.0",
              "0: rules: - {when: {python: [\"3.11\"], torch: [nightly], compute: [cuda/13.0]}, "
              "status: unsupported}"});
}

TEST_CASE("a Python past its end of life is a value to remove, whatever torch has") {
  const Texts pythons = {"3.11", "3.12"};
  CHECK(changes(builds("2.13", "", kLabels, pythons),
                builds("nightly", "20261124", kLabels, pythons), given(), year(2027) / November) ==
        Texts{"ended python 3.11: end of life since 2027-10", "4: python: [\"3.12\"]"});
  const Given pure = given(
      "schema: pinwheel/1\npackage: {name: demo, source: ..}\naxes:\n  python: [\"3.10\"]\n"
      "abi: {python: version}\n");
  // A line without a value would be no matrix.
  CHECK(changes({}, {}, pure, year(2026) / November) ==
        Texts{"ended python 3.10: end of life since 2026-10"});
}

TEST_CASE("an index with one kind of build says nothing of labels") {
  const Given of = given(
      "schema: pinwheel/1\npackage: {name: demo, source: ..}\naxes:\n  python: [\"3.12\"]\n"
      "  compute: [cuda/13.0]\n  torch: [\"2.13\"]\n"
      "abi: {python: version, torch: minor, compute: exact}\n"
      "environment: {torch: {spec: \"torch~={torch}.0\"}}\n");
  CHECK(changes(builds("2.13", "", {""}, {"3.12"}), builds("2.14", "", {""}, {"3.12"}), of) ==
        Texts{"appeared torch 2.14: Python 3.12", "6: torch: [\"2.13\", \"2.14\"]"});
}
