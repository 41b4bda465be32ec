#include "host/store/artifacts_place.h"

#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

const store::Address kWanted = store::entry_address(store::Domain::branch, sha256_hex("k"));

/// The artifacts of some attempts of one step, each with a file of its own.
struct Attempts {
  Scratch scratch;
  fs::path root = scratch.path() / "in";

  void leave(const std::string& artifact, const std::string& bytes,
             const std::string& step = "build:cpu", const store::Address& address = kWanted) const {
    const auto tree = tree_at(root / artifact);
    store::Entry result = entry_of("k", {bytes});
    result.step = step;
    REQUIRE(tree->put({address}, result, files_of(scratch, {bytes})));
  }

  ArtifactsPlace place() const { return {"artifacts:in", root, {"r1"}}; }

  /// The contents of the file of the result that counts; empty if there is none.
  std::string chosen() const {
    ArtifactsPlace artifacts = place();
    const auto found = artifacts.find(kWanted);
    if (!found || !*found) return {};
    const fs::path target = scratch.path() / "out";
    REQUIRE(artifacts.fetch((*found)->outputs.at(0).blob, target) == true);
    return scratch.read("out");
  }

  fs::path blob(const std::string& artifact, const std::string& bytes) const {
    return root / artifact / "cas" / sha256_hex(bytes);
  }
};

}  // namespace

TEST_CASE("of several attempts the latest counts", "[store]") {
  const Attempts attempts;
  CHECK(attempts.chosen().empty());
  attempts.leave("result-build-cpu-2", "two");
  attempts.leave("result-build-cpu-10", "ten");
  attempts.leave("result-build-cpu-1", "one");
  CHECK(attempts.chosen() == "ten");
}

TEST_CASE("an attempt whose result is incomplete or damaged does not count", "[store]") {
  const Attempts attempts;
  attempts.leave("result-build-cpu-1", "one");
  attempts.leave("result-build-cpu-2", "two");
  SECTION("a file is missing") {
    fs::remove(attempts.blob("result-build-cpu-2", "two"));
  }
  SECTION("a file is cut short") {
    fs::resize_file(attempts.blob("result-build-cpu-2", "two"), 1);
  }
  SECTION("the record is no record") {
    std::ofstream(attempts.root / "result-build-cpu-2/ac" / kWanted.hex) << "{";
  }
  SECTION("the artifact is empty") {
    fs::remove_all(attempts.root / "result-build-cpu-2/ac");
  }
  CHECK(attempts.chosen() == "one");
}

TEST_CASE("a result that is damaged in every attempt is a fault", "[store]") {
  const Attempts attempts;
  attempts.leave("result-build-cpu-1", "one");
  SECTION("its record") {
    std::ofstream(attempts.root / "result-build-cpu-1/ac" / kWanted.hex) << "{";
  }
  SECTION("the size of its file") {
    fs::resize_file(attempts.blob("result-build-cpu-1", "one"), 1);
  }
  const auto found = attempts.place().find(kWanted);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == FaultKind::wrong_bytes);
}

TEST_CASE("a blob that one attempt damaged comes from another", "[store]") {
  const Attempts attempts;
  attempts.leave("result-build-cpu-1", "one");
  attempts.leave("result-build-cpu-2", "one");
  const fs::path damaged = attempts.blob("result-build-cpu-2", "one");
  fs::permissions(damaged, fs::perms::owner_all);
  std::ofstream(damaged) << "xxx";
  CHECK(attempts.chosen() == "one");
  CHECK(attempts.place().fetch(blob_of("none"), attempts.scratch.path() / "none") == false);
}

TEST_CASE("an artifact that lies there without a directory of its name is read, too", "[store]") {
  const Attempts attempts;
  attempts.leave("", "alone");
  CHECK(attempts.chosen() == "alone");
}

TEST_CASE("an artifact gives the result of its own step, whatever lies in it", "[store]") {
  const Attempts attempts;
  attempts.leave("result-build-cpu-1", "built");
  attempts.leave("result-test-cp311-cpu-2", "forged");
  attempts.leave("result-build-cpu-x-3", "forged");
  attempts.leave("9", "forged");
  CHECK(attempts.chosen() == "built");
  fs::remove_all(attempts.root / "result-build-cpu-1");
  CHECK(attempts.chosen().empty());
  ArtifactsPlace place = attempts.place();
  REQUIRE(place.find(kWanted) == std::nullopt);
  const std::vector<Error> rejected = place.rejected();
  REQUIRE(rejected.size() == 3);
  CHECK(rejected[0].message ==
        "a result of `build:cpu` in `result-build-cpu-x-3` is not used: the artifact of that step "
        "is `result-build-cpu-ATTEMPT`");
  CHECK(place.rejected().empty());
}

TEST_CASE("a result is not taken from an address that does not follow from it", "[store]") {
  const Attempts attempts;
  attempts.leave("result-build-cpu-1", "built");
  const store::Address other = store::entry_address(store::Domain::branch, sha256_hex("other"));
  attempts.leave("result-build-cpu-2", "forged", "build:cpu", other);
  CHECK(attempts.place().find(other) == std::nullopt);
  CHECK(attempts.chosen() == "built");
}

TEST_CASE("an artifact without a directory of its name has the result of one step", "[store]") {
  const Attempts attempts;
  const store::Address other = store::hand_off_address(store::Domain::branch, "", "test:cp311-cpu");
  attempts.leave("", "forged");
  attempts.leave("", "tested", "test:cp311-cpu", other);
  CHECK(attempts.chosen().empty());
  CHECK(attempts.place().find(other) == std::nullopt);
}

TEST_CASE("nothing is kept among artifacts", "[store]") {
  const Attempts attempts;
  const auto stored =
      attempts.place().put({kWanted}, entry_of("k", {"one"}), files_of(attempts.scratch, {"one"}));
  REQUIRE_FALSE(stored);
  CHECK(stored.error().kind == FaultKind::refused);
  CHECK_FALSE(fs::exists(attempts.root));
}

}  // namespace pinwheel::host
