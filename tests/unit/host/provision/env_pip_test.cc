#include "host/provision/env_pip.h"

#include <string>

#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

using namespace pinwheel;

namespace {

/// A Python whose environments have a pip of 2020, which knows no `--python`; its upgrade ends as
/// `upgrade` says.
env::Interpreter python_of_2020(const ScratchMachine& m, const std::string& upgrade) {
  const std::string pip = m.program("old-pip",
                                    "#!/bin/sh\ncase \"$*\" in\n*--python*)\n"
                                    "  echo 'no such option: --python' >&2; exit 2 ;;\n"
                                    "*--upgrade*)\n  " +
                                        upgrade + " ;;\nesac\n");
  const std::string python =
      m.program("python3.9", "#!/bin/sh\nfor last; do :; done\nmkdir -p \"$last/bin\"\ncp '" + pip +
                                 "' \"$last/bin/python\"\n");
  return {.path = python, .version = "3.9.2", .implementation = "cpython"};
}

}  // namespace

TEST_CASE("a pip that is too old and finds no newer one is an error, each time", "[pip]") {
  const ScratchMachine m;
  const env::Interpreter old =
      python_of_2020(m, "echo 'Requirement already satisfied: pip (20.3.4)'; exit 0");
  for (int run = 0; run < 2; ++run) {
    const auto made = host::own_pip(m.machine, old);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().kind == ErrorKind::environment);
    CHECK(made.error().message == "the pip that comes with Python 3.9.2 at `" + old.path +
                                      "` is too old (22.3 is needed), and it finds no newer one");
    CHECK(made.error().hint.find("`pip config list`") != std::string::npos);
  }
}

TEST_CASE("a pip that is too old names what kept it from its index", "[pip]") {
  const ScratchMachine m;
  // pip keeps what it has, and succeeds, when its index does not answer.
  const env::Interpreter old = python_of_2020(m,
                                              "echo 'WARNING: Retrying after connection broken by "
                                              "NewConnectionError: refused' >&2; exit 0");
  const auto made = host::own_pip(m.machine, old);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().kind == ErrorKind::transient);
  CHECK(made.error().message ==
        "upgrading a pip that is too old (22.3 is needed) failed: "
        "WARNING: Retrying after connection broken by NewConnectionError: refused");
}
