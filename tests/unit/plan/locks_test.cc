#include "plan/locks.h"

#include <algorithm>

#include "matrix/parse.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

constexpr const char* kYaml = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11", "3.13t"]
  compute: [cpu, cuda/12.4, cuda/13.0]
  torch: ["2.13"]
abi: {python: none, torch: stable(2.10), compute: major}
environment:
  container: {base: "debian:12"}
  conda: {channels: [conda-forge], packages: ["python={python}"]}
  torch: {spec: "torch~={torch}.0", index: {"cuda/*": "https://x.example/{compute}"}}
build:
  command: [python, -m, build, "{package}"]
publish:
  index: {kind: directory, path: dist, label: local}
)";

struct LocksExample {
  matrix::Matrix matrix;
  matrix::Expansion expansion;
  std::vector<matrix::AbiClass> classes;

  explicit LocksExample(const std::string& yaml = kYaml) {
    Result<matrix::Matrix> parsed = matrix::parse(yaml, "m.yaml");
    INFO((parsed ? std::string() : render(parsed.error())));
    REQUIRE(parsed);
    matrix = *parsed;
    expansion = *matrix::expand(matrix);
    classes = *matrix::abi_classes(matrix, expansion.variants);
  }

  std::vector<std::string> files(const PlanOptions& options) const {
    std::vector<std::string> names;
    for (const LockTarget& target : lock_targets(matrix, expansion, classes, options)) {
      names.push_back(target.file);
    }
    return names;
  }

  std::vector<std::string> needed(const std::string& id, const PlanOptions& options) const {
    std::vector<matrix::Variant> selected;
    std::copy_if(expansion.variants.begin(), expansion.variants.end(), std::back_inserter(selected),
                 [&id](const matrix::Variant& variant) { return variant.id == id; });
    REQUIRE(selected.size() == 1);
    const auto found = needed_locks(lock_targets(matrix, expansion, classes, options), matrix,
                                    expansion, make_outline(classes, selected), options);
    REQUIRE(found.has_value());
    std::vector<std::string> names;
    for (const LockTarget& target : *found) names.push_back(target.file);
    return names;
  }
};

}  // namespace

TEST_CASE("locks are next to the matrix file") {
  CHECK(lock_directory("matrix/kernels.yaml") == "matrix/kernels.locks");
  CHECK(lock_directory("kernels.a.yml") == "kernels.a.locks");
}

TEST_CASE("an environment is named after its first variant and its use, without dots") {
  const LocksExample example;
  // CUDA 12 has no complete toolkit on PyPI; only builds use the toolkit of CUDA 13.
  CHECK(example.files({}) ==
        std::vector<std::string>{
            "pylock.cp311-cpu-torch2_13.toml", "pylock.cp311-cpu-torch2_13-test.toml",
            "pylock.cp311-cu124-torch2_13.toml", "pylock.cp311-cu124-torch2_13-test.toml",
            "pylock.cp311-cu130-torch2_13.toml", "pylock.toolkit-cuda-13_0-cp311.toml",
            "pylock.cp311-cu130-torch2_13-test.toml", "pylock.cp313t-cpu-torch2_13-test.toml",
            "pylock.cp313t-cu124-torch2_13-test.toml", "pylock.cp313t-cu130-torch2_13-test.toml"});
}

TEST_CASE(
    "tests in the environment of the build share its lock, and those without packages need none") {
  std::string yaml = kYaml;
  yaml.replace(yaml.find("build:\n"), 0, "test: {environment: build}\n");
  CHECK(LocksExample(yaml).files({}) ==
        std::vector<std::string>{
            "pylock.cp311-cpu-torch2_13.toml", "pylock.cp311-cu124-torch2_13.toml",
            "pylock.cp311-cu130-torch2_13.toml", "pylock.toolkit-cuda-13_0-cp311.toml",
            "pylock.cp313t-cpu-torch2_13.toml", "pylock.cp313t-cu124-torch2_13.toml",
            "pylock.cp313t-cu130-torch2_13.toml"});
  const LocksExample plain(R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes: {python: ["3.11", "3.12"]}
abi: {python: none}
environment: {pip: [cython]}
)");
  CHECK(plain.files({}) == std::vector<std::string>{"pylock.cp311.toml"});
}

TEST_CASE("the levels are in the name, so that each choice has its own locks") {
  PlanOptions options;
  options.engine = container::Engine::docker;
  options.python = env::PythonSource::conda;
  CHECK(LocksExample().files(options).front() == "pylock.cp311-cpu-torch2_13-container-conda.toml");
  options.engine = container::Engine::host;
  CHECK(LocksExample().files(options).front() == "pylock.cp311-cpu-torch2_13-conda.toml");
}

TEST_CASE("a plan needs the locks of its builds, their toolkits and its tests") {
  const LocksExample example;
  // The build for all Pythons uses 3.11.
  CHECK(example.needed("cp313t-cu130-torch2.13", {.stage = Stage::test}) ==
        std::vector<std::string>{"pylock.cp311-cu130-torch2_13.toml",
                                 "pylock.toolkit-cuda-13_0-cp311.toml",
                                 "pylock.cp313t-cu130-torch2_13-test.toml"});
  CHECK(example.needed("cp313t-cu130-torch2.13", {.stage = Stage::build}) ==
        std::vector<std::string>{"pylock.cp311-cu130-torch2_13.toml",
                                 "pylock.toolkit-cuda-13_0-cp311.toml"});
}

TEST_CASE("a toolkit from conda is locked for every Python at once, and for its container") {
  std::string yaml = kYaml;
  yaml.replace(yaml.find("build:\n"), 0, "  toolkit: conda\n");
  const LocksExample example(yaml);
  const auto conda = [&](const PlanOptions& options) {
    std::vector<std::string> files = example.files(options);
    std::erase_if(
        files, [](const std::string& file) { return file.find("toolkit-") == std::string::npos; });
    return files;
  };
  CHECK(conda({}) == std::vector<std::string>{"pylock.toolkit-cuda-12_4-conda.toml",
                                              "pylock.toolkit-cuda-13_0-conda.toml"});
  CHECK(conda({.engine = container::Engine::docker}) ==
        std::vector<std::string>{"pylock.toolkit-cuda-12_4-container-conda.toml",
                                 "pylock.toolkit-cuda-13_0-container-conda.toml"});
}

TEST_CASE("a toolkit that is found has no lock") {
  std::string yaml = kYaml;
  yaml.replace(yaml.find("build:\n"), 0, "  toolkit: container\n");
  for (const std::string& file : LocksExample(yaml).files({.engine = container::Engine::docker})) {
    CHECK(file.find("toolkit-") == std::string::npos);
  }
}
