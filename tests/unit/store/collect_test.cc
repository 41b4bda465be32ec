#include "store/collect.h"

#include "base/digest.h"
#include "unit/catch.h"

namespace pinwheel::store {
namespace {

constexpr StoreTime kNow = StoreTime(std::chrono::hours(1000));

StoreTime hours_ago(int hours) {
  return kNow - std::chrono::hours(hours);
}

/// A place where each result has one blob of 10 bytes, by name.
struct PlaceOf {
  Inventory inventory = {};

  static Address address(const std::string& name) { return {sha256_hex("address " + name)}; }
  static Blob blob(const std::string& name) { return {sha256_hex(name), 10}; }
  void result(const std::string& name, int hours) {
    inventory.entries.push_back({address(name), {blob(name)}, hours_ago(hours)});
    inventory.blobs.push_back({blob(name), hours_ago(hours)});
  }
  InventoryRun& run(const std::string& id, Domain domain, int hours, const std::string& used) {
    InventoryRun run{id + ".file", id, domain, hours_ago(hours)};
    run.addresses = {address(used)};
    return inventory.runs.emplace_back(std::move(run));
  }
  void release(const std::string& id, int hours, const std::string& used,
               Domain domain = Domain::release) {
    run(id, domain, hours, used).publishes = true;
  }
};

CollectOptions options(uint64_t most_bytes = 0) {
  return {2, most_bytes, std::chrono::hours(24), kNow};
}

}  // namespace

TEST_CASE("what the last releases and living runs used stays", "[store]") {
  PlaceOf place;
  for (const char* name : {"r1", "r2", "r3", "b1", "living", "free"}) place.result(name, 500);
  place.release("1", 400, "r1");
  place.release("2", 300, "r2");
  place.release("3", 200, "r3");
  place.run("4", Domain::branch, 100, "b1");
  place.run("5", Domain::pull_request, 450, "living").living = true;
  const Collection removed = collect(place.inventory, options());
  CHECK(removed.entries ==
        std::vector{PlaceOf::address("r1"), PlaceOf::address("b1"), PlaceOf::address("free")});
  CHECK(removed.blobs ==
        std::vector{PlaceOf::blob("r1"), PlaceOf::blob("b1"), PlaceOf::blob("free")});
  CHECK(removed.runs == std::vector<std::string>{"1.file", "4.file"});
  CHECK(removed.removed_bytes == 30);
  CHECK(removed.retained_bytes == 30);
}

TEST_CASE("several jobs of one release are one release", "[store]") {
  PlaceOf place;
  for (const char* name : {"a", "b", "old"}) place.result(name, 500);
  place.release("1", 400, "old");
  place.release("2", 300, "a");
  place.release("3", 200, "b");
  // A job of the third that publishes nothing itself.
  place.run("3", Domain::release, 199, "a");
  CHECK(collect(place.inventory, options()).entries == std::vector{PlaceOf::address("old")});
}

TEST_CASE("a release is what publishes, in whatever domain", "[store]") {
  PlaceOf place;
  for (const char* name : {"desk", "release", "pull"}) place.result(name, 500);
  place.release("1", 400, "desk", Domain::branch);
  place.release("2", 350, "release");
  // Builds in the domain of releases, and what a pull request publishes, count as none.
  for (const char* build : {"3", "4", "5"}) place.run(build, Domain::release, 100, "pull");
  place.release("6", 100, "pull", Domain::pull_request);
  CHECK(collect(place.inventory, options()).entries == std::vector{PlaceOf::address("pull")});
}

TEST_CASE("what was used within the grace time stays, with or without a result", "[store]") {
  PlaceOf place;
  place.result("new", 23);
  place.result("old", 25);
  place.inventory.blobs.push_back({PlaceOf::blob("arriving"), hours_ago(1)});
  place.inventory.blobs.push_back({PlaceOf::blob("left"), hours_ago(30)});
  place.run("1", Domain::branch, 2, "old");
  const Collection removed = collect(place.inventory, options());
  CHECK(removed.entries.empty());
  CHECK(removed.blobs == std::vector{PlaceOf::blob("left")});
  CHECK(removed.runs.empty());
}

TEST_CASE("a damaged result stays for the grace time, whatever needs it", "[store]") {
  PlaceOf place;
  place.inventory.damaged = {{PlaceOf::address("new"), hours_ago(23)},
                             {PlaceOf::address("old"), hours_ago(25)}};
  place.run("1", Domain::release, 1, "old").living = true;
  CHECK(collect(place.inventory, options(100)).entries == std::vector{PlaceOf::address("old")});
}

TEST_CASE("up to a size, what was used last stays", "[store]") {
  PlaceOf place;
  place.result("oldest", 300);
  place.result("newest", 100);
  place.result("middle", 200);
  CHECK(collect(place.inventory, options(20)).entries == std::vector{PlaceOf::address("oldest")});
  CHECK(collect(place.inventory, options(19)).entries ==
        std::vector{PlaceOf::address("middle"), PlaceOf::address("oldest")});
  CHECK(collect(place.inventory, options(30)).entries.empty());
}

TEST_CASE("a blob that another result needs stays, and counts once", "[store]") {
  PlaceOf place;
  place.result("a", 100);
  place.inventory.entries.push_back({PlaceOf::address("b"), {PlaceOf::blob("a")}, hours_ago(200)});
  CHECK(collect(place.inventory, options(10)).entries.empty());
  CHECK(collect(place.inventory, options(9)).blobs == std::vector{PlaceOf::blob("a")});
}

}  // namespace pinwheel::store
