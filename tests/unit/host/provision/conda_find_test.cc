#include "host/provision/conda_find.h"

#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

using namespace pinwheel;
using conda::CondaKind;

namespace {

/// A machine whose programs are scripts that print their version.
struct FindingMachine : ScratchMachine {
  FindingMachine() {
    machine.variables["PATH"] = (scratch.path() / "bin").string() + ":/usr/bin:/bin";
  }

  std::string program(const std::string& name, const std::string& says) const {
    return ScratchMachine::program(name, "#!/bin/sh\n" + says + "\n");
  }
};

}  // namespace

TEST_CASE("clients are listed in the documented order, each once") {
  FindingMachine here;
  const std::string conda = here.program("bin/conda", "echo conda 24.1.0");
  const std::string mamba = here.program("bin/mamba", "echo mamba 1.5.8; echo conda 24.1.0");
  const std::string own = here.program("own/micromamba", "echo 2.0.5");
  CHECK(host::find_conda_client(here.machine)->program == mamba);
  here.machine.variables["MAMBA_EXE"] = own;
  here.machine.variables["CONDA_EXE"] = conda;
  CHECK(host::list_conda_clients(here.machine) ==
        std::vector<conda::CondaClient>{{CondaKind::micromamba, own, "2.0.5"},
                                        {CondaKind::mamba, mamba, "1.5.8"},
                                        {CondaKind::conda, conda, "24.1.0"}});
  CHECK(host::find_conda_client(here.machine)->kind == CondaKind::micromamba);
  CHECK_FALSE(host::conda_notice(here.machine).has_value());
}

TEST_CASE("rattler is used instead of a client that is broken or too old") {
  FindingMachine here;
  here.program("bin/micromamba", "echo no library >&2; exit 127");
  here.program("bin/conda", "echo conda 4.3.16 >&2");
  REQUIRE(host::list_conda_clients(here.machine).size() == 1);
  const auto client = host::find_conda_client(here.machine);
  REQUIRE(client.has_value());
  CHECK(client->kind == CondaKind::rattler);
  const auto notice = host::conda_notice(here.machine);
  REQUIRE(notice.has_value());
  CHECK(notice->starts_with("installing `py-rattler"));
  CHECK(notice->find((here.scratch.path() / "cache" / "tools").string()) != std::string::npos);
}

TEST_CASE("the client that the user selects is used or rejected, never replaced") {
  FindingMachine here;
  here.program("bin/mamba", "echo 2.0.5");
  const std::string conda = here.program("elsewhere/conda", "echo conda 23.1.0");
  here.machine.variables["PINWHEEL_CONDA"] = conda;
  CHECK(host::find_conda_client(here.machine)->program == conda);
  here.machine.variables["PINWHEEL_CONDA"] = "mamba";
  CHECK(host::find_conda_client(here.machine)->kind == CondaKind::mamba);
  here.machine.variables["PINWHEEL_CONDA"] = "rattler";
  CHECK(host::find_conda_client(here.machine)->kind == CondaKind::rattler);
  for (const std::string& name :
       {std::string("micromamba"), here.program("old/conda", "echo conda 4.6.0"),
        here.program("broken/conda", "exit 1")}) {
    INFO(name);
    here.machine.variables["PINWHEEL_CONDA"] = name;
    const auto client = host::find_conda_client(here.machine);
    REQUIRE_FALSE(client.has_value());
    CHECK(client.error().kind == ErrorKind::environment);
    CHECK_FALSE(client.error().hint.empty());
  }
}
