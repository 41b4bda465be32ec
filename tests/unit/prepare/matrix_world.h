#pragma once
#include <string>
#include <utility>
#include <vector>

#include "fakes/fake_host.h"
#include "prepare/load.h"
#include "prepare/run_scope.h"
#include "unit/catch.h"

namespace pinwheel::prepare {

inline constexpr const char* kPlainYaml = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11", "3.12"]
abi: {python: version}
)";

/// Writes the matrix to `m.yaml` of a fake host, and loads it.
inline Loaded loaded_from(fakes::FakeHost& fake, const std::string& yaml) {
  fake.files.put("m.yaml", yaml);
  Result<Loaded> loaded = load_matrix(fake.files, "m.yaml", fake.notices, Warnings::print);
  INFO((loaded ? std::string() : render(loaded.error())));
  REQUIRE(loaded);
  return *std::move(loaded);
}

/// All of a matrix in `m.yaml`, up to the tests.
inline RunScope whole_scope(fakes::FakeHost& fake, const std::string& yaml,
                            LevelOptions levels = {}) {
  RunScope scope{{}, loaded_from(fake, yaml), {}, std::move(levels)};
  const Result<plan::Outline> outline = select_outline(scope.loaded, {}, {}, "");
  REQUIRE(outline);
  scope.outline = *outline;
  scope.version.version = {"1.0", ""};
  scope.version.machine = "x86_64";
  Result<RunScope> whole = up_to(plan::Stage::test, std::move(scope));
  INFO((whole ? std::string() : render(whole.error())));
  REQUIRE(whole);
  return *std::move(whole);
}

/// A Python of the fake machine in `/usr/bin`, which describes itself: "3.11.7".
inline void add_python(fakes::FakeHost& fake, const std::string& version,
                       const std::string& soabi = "cpython-x") {
  const std::string path = "/usr/bin/python" + version.substr(0, version.rfind('.'));
  const std::string text =
      R"({"path": ")" + path + R"(", "version": ")" + version +
      R"(", "implementation": "cpython", "free_threaded": false, "platform": "linux-x86_64", )" +
      R"("soabi": ")" + soabi +
      R"(", "include_directory": "/i", "has_headers": true, "makes_environments": true})";
  fake.files.put(path, "");
  fake.process.run = [path, text, others = fake.process.run](
                         const ports::Command& command) -> Result<ports::Captured> {
    if (command.argv.front() == path) return ports::Captured{{}, text, ""};
    return others(command);
  };
}

inline constexpr const char* kCudaYaml = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11"]
  compute: ["cuda/13.0"]
abi: {python: version, compute: exact}
environment: {pip: [numpy]}
)";

/// CUDA 13.0.88 in `/cuda` of the fake machine.
inline void add_cuda(fakes::FakeHost& fake) {
  const std::string nvcc = "/cuda/bin/nvcc";
  fake.files.put(nvcc, "");
  fake.host.variables["CUDA_HOME"] = "/cuda";
  fake.process.run =
      [nvcc, others = fake.process.run](const ports::Command& command) -> Result<ports::Captured> {
    if (command.argv.front() != nvcc) return others(command);
    return ports::Captured{
        {}, "Cuda compilation tools, release 13.0, V13.0.88\n", "#$ TOP=/cuda\n"};
  };
}

/// The facts of a checkout of `/repo`, one commit after the tag `v1.2.0`.
inline ports::GitFacts checkout_facts() {
  ports::GitFacts facts;
  facts.root = "/repo";
  facts.commit = std::string(40, 'a');
  facts.date = std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000));
  facts.branch = "main";
  facts.tags = {{"v1.2.0", 1}};
  facts.all_tags = {"v1.2.0"};
  facts.commit_count = 3;
  return facts;
}

}  // namespace pinwheel::prepare
