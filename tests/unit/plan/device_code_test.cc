#include "plan/device_code.h"

#include <algorithm>

#include "base/text.h"
#include "plan/device_code_scripts.h"
#include "plan/step_id.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

const DeviceBuild kSplitBuild{"cu13", "/tmp/build/src/"};

std::string use_line(const std::string& word, const DeviceCompilation& of) {
  return join({word, of.tool, of.architecture, of.source, of.arguments, of.input, of.programs},
              "\t") +
         "\n";
}

DeviceCompilation cicc_run(const std::string& architecture) {
  return {"cicc", architecture, "/tmp/build/src/a.cu", "options", "code", "toolkit"};
}

std::string failure_of(const Done& judged) {
  REQUIRE_FALSE(judged);
  CHECK(judged.error().kind == ErrorKind::check);
  return render(judged.error());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the launcher's mode is the number of an architecture, and names are those of steps") {
  CHECK(device_mode("9.0") == "90");
  CHECK(device_mode("12.0a+PTX") == "120a");
  CHECK(device_code_name("cu13", "12.0+PTX").starts_with("device-cu13-12.0-ptx-"));
  CHECK(device_code_name("cu13", "12.0") != device_code_name("cu13", "12.0+PTX"));
  CHECK(device_id("cu13", "12.0+PTX") == "device:cu13@12.0-ptx");
  CHECK(output_directory("device:cu13@9.0") == ".device-code");
  CHECK(output_directory("build:cu13").empty());
}

TEST_CASE("only files that the programs write are in an archive of device code") {
  const std::string key(64, 'a');
  CHECK(is_device_member(key + "/about"));
  CHECK(is_device_member(key + "/stub"));
  for (const std::string& name : std::vector<std::string>{
           key, key + "/", key + "/other", "about", "../" + key + "/about", key + "/../about",
           key + "/output/x", "/" + key + "/output", std::string(64, 'g') + "/output"}) {
    INFO(name);
    CHECK_FALSE(is_device_member(name));
  }
}

TEST_CASE("records of the programs are read, and anything else in them is ignored") {
  const DeviceCompilation run = cicc_run("compute_90");
  const std::string text = use_line("hit", run) + use_line("miss", run) + use_line("made", run) +
                           use_line("other", run) + "alone\tptxas\tsm_90\ta\n" +
                           "nvcc\tit has no profile (a.cu)\n";
  const DeviceUses uses = parse_device_uses(text);
  CHECK(uses.hits == std::vector{run});
  CHECK(uses.misses == std::vector{run});
  CHECK(uses.made == std::vector{run});
  CHECK(uses.others == std::vector{run});
  CHECK(uses.alone == std::vector{DeviceCompilation{"ptxas", "sm_90", "a"}});
  CHECK(uses.refusals == std::vector<std::string>{"it has no profile (a.cu)"});
  const std::string line = use_line("hit", run);
  for (size_t length = 0; length + 1 < line.size(); ++length) {
    const DeviceUses cut = parse_device_uses(line.substr(0, length));
    CHECK((cut.misses.empty() && cut.made.empty() && cut.others.empty() && cut.alone.empty()));
  }
  const std::string hostile = std::string("hit\t\0\t\t\n", 8) + std::string(10'000, '\t') +
                              "\nmade\n\xff\xfe\nhit\ta\tb\tc\td\te\tf\tg\n\n";
  const DeviceUses none = parse_device_uses(hostile);
  CHECK((none.hits.empty() && none.made.empty() && none.refusals.empty()));
  CHECK(parse_device_index("a\tb\n" + std::string(100, '\t') + "\n").empty());
  const std::string about = use_line("x", run).substr(2);
  CHECK(parse_device_index(about + about) == std::vector{run, run});
}

TEST_CASE("a step without code for its architecture fails with the reason") {
  DeviceUses uses;
  uses.made = {cicc_run("compute_90a")};
  CHECK(judge_device_code(uses, kSplitBuild, "9.0"));
  CHECK(judge_device_code(uses, kSplitBuild, "9.0a+PTX"));
  CHECK(has(failure_of(judge_device_code(uses, kSplitBuild, "8.0")),
            "the build of `cu13` compiled no code for `8.0`, but for `compute_90a`"));
  // What CMake compiles to try the compiler does not count.
  uses.made = {cicc_run("compute_80"), cicc_run("compute_80")};
  uses.made[0].source = "/usr/share/cmake/CMakeCUDACompilerABI.cu";
  uses.made[1].source = "/tmp/build/src/b/CMakeFiles/Scratch/try.cu";
  CHECK(
      has(failure_of(judge_device_code(uses, kSplitBuild, "8.0")), "CMAKE_CUDA_COMPILER_LAUNCHER"));
  uses.made.clear();
  uses.refusals = {"it has no file `nvcc.profile` (k.cu)"};
  CHECK(has(failure_of(judge_device_code(uses, kSplitBuild, "8.0")), "k.cu"));
}

TEST_CASE("a wheel that could use nothing of its jobs fails and names a file and the reason") {
  const std::vector<DeviceCompilation> index = {cicc_run("compute_80"), cicc_run("compute_90")};
  DeviceUses uses;
  uses.hits = {index[0]};
  CHECK(judge_linked_code(uses, kSplitBuild, index));
  DeviceCompilation other = cicc_run("compute_90");
  other.input = "other code";
  uses.others = {other};
  CHECK(has(failure_of(judge_linked_code(uses, kSplitBuild, index)),
            "`a.cu` for `compute_90` is not what the job of its architecture compiled: its "
            "preprocessed code differs"));
  uses.others[0].arguments = "other options";
  CHECK(has(failure_of(judge_linked_code(uses, kSplitBuild, index)), "its options differ"));
  uses.others[0].programs = "other toolkit";
  CHECK(
      has(failure_of(judge_linked_code(uses, kSplitBuild, index)), "its compiler is another one"));
  uses = {};
  uses.misses = {cicc_run("compute_75")};
  const std::string none = failure_of(judge_linked_code(uses, kSplitBuild, index));
  CHECK(has(none, "could use nothing of the 2 outputs"));
  CHECK(has(none, "no job has compiled `a.cu` for `compute_75`"));
}

TEST_CASE("what was compiled again is counted and named") {
  DeviceUses uses;
  CHECK(repeated_compilations(uses, kSplitBuild).empty());
  uses.misses = {cicc_run("compute_75")};
  uses.alone = {{"ptxas", "sm_75", "a"}};
  CHECK(repeated_compilations(uses, kSplitBuild) ==
        "2 compilations of device code ran in the job of the wheel, because no other job has its "
        "output: cicc of `a.cu` for `compute_75`");
}

TEST_CASE("the programs are scripts of `sh`") {
  for (const std::string& text :
       {device_launcher_script(), device_nvcc_script(), device_tool_script()}) {
    CHECK(text.starts_with("#!/bin/sh\n"));
  }
}
