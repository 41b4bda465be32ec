#include "host/provision/doctor.h"

#include <stdlib.h>

#include <filesystem>

#include "host/system/clock.h"
#include "host/system/files.h"
#include "host/system/process.h"
#include "unit/catch.h"

using namespace pinwheel;

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
