#include "host/slurm/fetch_result.h"

#include "unit/catch.h"
#include "unit/host/store/stored.h"

using namespace pinwheel;

TEST_CASE("the files of a job's result are fetched from the store") {
  const Scratch scratch;
  std::vector<host::StorePlace> places;
  places.push_back({tree_at(scratch.path() / "store"), store::PlaceAccess::read_write});
  host::Store store(std::move(places), {});
  REQUIRE(tree_at(scratch.path() / "store")
              ->put({store::entry_address(store::Domain::branch, sha256_hex("k"))},
                    entry_of("k", {"one", "two"}), files_of(scratch, {"one", "two"})));
  plan::StepOutcome outcome;
  outcome.id = "build:a";
  outcome.warnings = {"it is old"};
  outcome.outputs = {{"/node/out/1.whl", sha256_hex("one"), 3},
                     {"/node/out/2.whl", sha256_hex("two"), 3}};
  std::stop_source stop;
  const auto fetch = [&](const std::filesystem::path& output) {
    return host::fetch_result(outcome, store, output, stop.get_token());
  };
  SECTION("all of them") {
    const Result<run::Success> success = fetch(scratch.path() / "out");
    REQUIRE(success);
    CHECK(success->warnings == outcome.warnings);
    REQUIRE(success->outputs.size() == 2);
    CHECK(success->outputs[1].path == (scratch.path() / "out" / "2.whl").string());
    CHECK(scratch.read("out/1.whl") == "one");
  }
  SECTION("one is in no store yet") {
    outcome.outputs[1].sha256 = sha256_hex("three");
    CHECK(fetch(scratch.path() / "out").error().kind == ErrorKind::transient);
  }
  SECTION("the directory cannot be made") {
    scratch.write("file", "");
    CHECK(fetch(scratch.path() / "file" / "out").error().kind == ErrorKind::environment);
  }
  SECTION("a signal arrives") {
    stop.request_stop();
    CHECK(fetch(scratch.path() / "out").error().kind == ErrorKind::interrupted);
  }
}
