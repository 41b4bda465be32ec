#include "host/provision/doctor.h"

#include <stdlib.h>

#include <filesystem>

#include "host/system/clock.h"
#include "host/system/files.h"
#include "host/system/process.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

namespace fs = std::filesystem;

void write_program(const Scratch& scratch, const std::string& name, const std::string& lines) {
  fs::permissions(scratch.write("bin/" + name, "#!/bin/sh\n" + lines), fs::perms::owner_all);
}

}  // namespace

TEST_CASE("a program that does not respond delays no other") {
  const Scratch scratch;
  // Each prints its version only if the other was started meanwhile.
  const std::string at = scratch.path().string();
  const auto wait = [&at](const std::string& own, const std::string& other) {
    return ": > " + at + "/" + own + "\nuntil [ -e " + at + "/" + other +
           " ]; do sleep 0.01; done\necho " + own + " version 18.9.1\n";
  };
  write_program(scratch, "docker", wait("docker", "podman"));
  write_program(scratch, "podman", wait("podman", "docker"));
  host::LocalFiles files;
  host::ChildProcesses process;
  host::SystemClock clock;
  host::EnvMachine machine{files, process, clock, {}, scratch.path() / "c", scratch.path()};
  machine.variables["PATH"] = at + "/bin:/usr/bin:/bin";
  const doctor::DoctorFacts facts = host::gather_doctor_facts(machine);
  CHECK(facts.engines.at(container::Engine::docker).version == "18.9.1");
  CHECK(facts.engines.at(container::Engine::podman).version == "18.9.1");
}

TEST_CASE("the doctor finds what this build itself needed") {
  host::LocalFiles files;
  host::ChildProcesses process;
  host::SystemClock clock;
  host::EnvMachine machine{files,
                           process,
                           clock,
                           {},
                           std::filesystem::temp_directory_path() / "not" / "made" / "yet",
                           std::filesystem::temp_directory_path()};
  for (const char* name : {"PATH", "HOME"}) {
    if (const char* value = ::getenv(name)) machine.variables[name] = value;
  }
  const doctor::DoctorFacts facts = host::gather_doctor_facts(machine);
  CHECK_FALSE(facts.compilers.empty());
  CHECK_FALSE(facts.interpreters.empty());
  CHECK(facts.cores >= 1);
  CHECK(facts.memory > (64U << 20));
  CHECK(facts.disk_free > 0);
}
