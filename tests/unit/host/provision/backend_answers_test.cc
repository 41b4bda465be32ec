#include "host/provision/backend_answers.h"

#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

namespace pinwheel::host {
namespace {

TEST_CASE("an answer is found by its question, and a damaged one counts as none") {
  const ScratchMachine here;
  CHECK_FALSE(load_answer(here.machine, "aa"));
  REQUIRE(record_answer(here.machine, "aa", {"cffi>=1", "wheel"}));
  REQUIRE(record_answer(here.machine, "bb", {}));
  CHECK(load_answer(here.machine, "aa") == std::vector<std::string>{"cffi>=1", "wheel"});
  CHECK(load_answer(here.machine, "bb") == std::vector<std::string>{});
  for (const char* const text : {"{", "[]", "{}", R"({"requires": [1]})"}) {
    INFO(text);
    here.scratch.write("state/backends/aa.json", text);
    CHECK_FALSE(load_answer(here.machine, "aa"));
  }
}

}  // namespace
}  // namespace pinwheel::host
