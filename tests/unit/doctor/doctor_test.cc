#include "doctor/doctor.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::doctor;

namespace {

DoctorFacts good_machine() {
  DoctorFacts facts;
  facts.interpreters = {{.path = "/usr/bin/python3.11",
                         .version = "3.11.2",
                         .implementation = "cpython",
                         .has_headers = true,
                         .makes_environments = true}};
  facts.compilers = {{"g++", env::CompilerFamily::gcc, 12, "12.2.0"}};
  facts.toolkits = {env::cuda_toolkit("/usr/local/cuda-13.0", "13.0.88")};
  facts.disk = "/cache";
  facts.disk_free = 50'000'000'000;
  facts.memory = 16ULL << 30;
  facts.cores = 8;
  return facts;
}

const DoctorLine& line(const std::vector<DoctorLine>& lines, const std::string& name) {
  for (const DoctorLine& each : lines) {
    if (each.name == name) return each;
  }
  FAIL("no line " << name);
  return lines.front();
}

}  // namespace

TEST_CASE("a good machine can build, and its limits are shown") {
  const std::vector<DoctorLine> lines = diagnose_machine(good_machine());
  CHECK(lines.size() == 15);
  CHECK(can_build(lines));
  CHECK(line(lines, "cuda").verdict == DoctorVerdict::good);
  CHECK(line(lines, "gpu").allows == "GPU wheels are built and loaded, never executed");
  CHECK(line(lines, "memory").allows == "8 jobs of 2 GiB in parallel");
}

TEST_CASE("every line that is not good names the fix") {
  for (const DoctorFacts& facts : {DoctorFacts{}, good_machine()}) {
    for (const DoctorLine& each : diagnose_machine(facts)) {
      INFO(each.name);
      CHECK_FALSE(each.allows.empty());
      if (each.name != "cores" && each.verdict != DoctorVerdict::good)
        CHECK_FALSE(each.fix.empty());
    }
  }
  CHECK_FALSE(can_build(diagnose_machine({})));
}

TEST_CASE("conda packages need a recent client, or a Python for py-rattler") {
  DoctorFacts facts = good_machine();
  CHECK(line(diagnose_machine(facts), "conda").verdict == DoctorVerdict::good);
  CHECK(line(diagnose_machine(facts), "conda").found == "none");
  facts.conda = {{conda::CondaKind::conda, "/usr/bin/conda", "4.3.16"}};
  CHECK(line(diagnose_machine(facts), "conda").found == "conda 4.3.16 in /usr/bin/conda (too old)");
  facts.interpreters[0].version = "3.9.2";
  CHECK(line(diagnose_machine(facts), "conda").verdict == DoctorVerdict::limited);
  facts.conda.push_back({conda::CondaKind::micromamba, "/bin/micromamba", "2.0.5"});
  CHECK(line(diagnose_machine(facts), "conda").verdict == DoctorVerdict::good);
}

TEST_CASE("a Python that a matrix lacks here has a line with the way to it") {
  DoctorFacts facts = good_machine();
  facts.missing = {{.version = "3.13t", .users = {"cp313t-cpu", "cp313t-cu130"}},
                   {.version = "3.15", .fetched = true, .users = {"cp315-cpu"}}};
  const std::vector<DoctorLine> lines = diagnose_machine(facts);
  CHECK(line(lines, "python 3.13t").verdict == DoctorVerdict::limited);
  CHECK(line(lines, "python 3.13t").allows == "not `cp313t-cpu` and 1 more variant");
  CHECK(line(lines, "python 3.13t").fix ==
        "uv python install 3.13t, or `environment: {python: auto}` in the matrix");
  CHECK(line(lines, "python 3.15").verdict == DoctorVerdict::good);
  CHECK(line(lines, "python 3.15").allows == "`cp315-cpu`: conda fetches it when a step needs it");
  CHECK(can_build(lines));
}

TEST_CASE("free-threaded Pythons and musl have a line each") {
  DoctorFacts facts = good_machine();
  CHECK(line(diagnose_machine(facts), "free-threads").fix.starts_with("uv python install 3.14t"));
  CHECK(line(diagnose_machine(facts), "musl").fix.find("quay.io/pypa/musllinux_1_2_x86_64") !=
        std::string::npos);
  facts.interpreters.push_back(facts.interpreters[0]);
  facts.interpreters[1].version = "3.13.5";
  facts.interpreters[1].free_threaded = true;
  CHECK(line(diagnose_machine(facts), "free-threads").found == "3.13.5t");
  facts.interpreters[0].soabi = "cpython-311-x86_64-linux-musl";
  CHECK(line(diagnose_machine(facts), "musl").found == "Python 3.11.2");
  facts.interpreters[0].soabi.clear();
  facts.engines[container::Engine::podman].info = container::EngineInfo();
  CHECK(line(diagnose_machine(facts), "musl").verdict == DoctorVerdict::good);
}

TEST_CASE("the hardware of other computes has lines where it is there or asked for") {
  DoctorFacts facts = good_machine();
  const auto find = [&facts](const std::string& name) {
    std::vector<DoctorLine> found = diagnose_machine(facts);
    std::erase_if(found, [&name](const DoctorLine& line) { return line.name != name; });
    return found;
  };
  CHECK(find("xpu").empty());
  CHECK(find("device").empty());
  facts.intel_gpu = true;
  facts.devices = {{"/dev/accel0", true, {"hpu1.22"}}, {"/dev/accel1", false, {"a", "b", "c"}}};
  CHECK(find("xpu").at(0).verdict == DoctorVerdict::good);
  CHECK(find("device").at(0).found == "/dev/accel0");
  CHECK(find("device").at(1).found == "no /dev/accel1");
  CHECK(find("device").at(1).allows == "tests of `a` and 2 more variants stop at `loaded`");
}

TEST_CASE("a compiler that CUDA rejects is detected") {
  DoctorFacts facts = good_machine();
  facts.toolkits = {env::cuda_toolkit("/usr", "11.8.89")};
  CHECK(line(diagnose_machine(facts), "cuda").verdict == DoctorVerdict::limited);
  CHECK(line(diagnose_machine(facts), "cuda").fix == "apt-get install g++-11");
}

TEST_CASE("the JSON form has every line") {
  DoctorFacts facts = good_machine();
  facts.gpus = {"NVIDIA H100"};
  const auto json = nlohmann::json::parse(to_json(facts, diagnose_machine(facts)));
  CHECK(json.at("gpus") == std::vector<std::string>{"NVIDIA H100"});
  CHECK(json.at("format") == 1);
  CHECK(json.at("lines").size() == 15);
  CHECK(json.at("lines")[0].at("name") == "python");
  CHECK(json.at("lines")[0].at("verdict") == "good");
}
