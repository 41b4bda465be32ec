#include "host/store/copy_results.h"

#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

/// Keeps a result of a plan in the place "from", under both of its addresses.
void keep(const Scratch& scratch, const std::string& key, const std::string& plan,
          store::Domain domain = store::Domain::branch) {
  store::StoredResult result = result_of(key, {key});
  result.plan = plan.empty() ? "" : sha256_hex(plan);
  result.writer.domain = domain;
  std::vector<store::Address> addresses = {store::result_address(domain, result.key)};
  if (!plan.empty()) {
    addresses.push_back(store::hand_off_address(domain, result.plan, result.step));
  }
  REQUIRE(tree_at(scratch.path() / "from")->put(addresses, result, files_of(scratch, {key})));
}

}  // namespace

TEST_CASE("the wanted results are copied, and no others", "[store]") {
  const Scratch scratch;
  keep(scratch, "a", "plan");
  keep(scratch, "b", "");
  const auto to = tree_at(scratch.path() / "to");
  const auto wanted = [](const store::StoredResult& result) {
    return result.plan == sha256_hex("plan");
  };
  const auto copied = copy_results(scratch.path() / "from", *to, wanted);
  REQUIRE(copied);
  CHECK(copied->copied == 2);
  CHECK(copied->left_out == 1);
  CHECK(to->fetch(blob_of("a"), scratch.path() / "out") == true);
  CHECK(to->fetch(blob_of("b"), scratch.path() / "out") == false);
  CHECK(copy_results(scratch.path() / "from", *to, wanted)->there_already == 2);
}

TEST_CASE("a result at an address that is not its own is not copied", "[store]") {
  const Scratch scratch;
  store::StoredResult poison = result_of("k", {});
  REQUIRE(tree_at(scratch.path() / "from")
              ->put({store::result_address(store::Domain::release, poison.key)}, poison, {}));
  const auto to = tree_at(scratch.path() / "to");
  CHECK(copy_results(scratch.path() / "from", *to, [](const auto&) { return true; })->left_out ==
        1);
}

TEST_CASE("a damaged blob does not end the copy", "[store]") {
  const Scratch scratch;
  for (const char* key : {"a", "b", "c", "d"}) keep(scratch, key, "");
  const auto blob = [&scratch](const std::string& bytes) {
    return scratch.path() / "from/cas" / sha256_hex(bytes);
  };
  std::filesystem::remove(blob("b"));
  for (const auto& [key, damage] : {std::pair("a", "x"), std::pair("c", "longer")}) {
    std::filesystem::permissions(blob(key), std::filesystem::perms::owner_all);
    std::ofstream(blob(key)) << damage;
  }
  const auto to = tree_at(scratch.path() / "to");
  const auto copied = copy_results(scratch.path() / "from", *to, [](const auto&) { return true; });
  REQUIRE(copied);
  CHECK(copied->copied == 1);
  CHECK(copied->damaged == std::set<std::string>{"build:cpu"});
  CHECK(to->fetch(blob_of("d"), scratch.path() / "out") == true);
}

TEST_CASE("a fault of the place that is copied to ends the copy", "[store]") {
  const Scratch scratch;
  keep(scratch, "a", "");
  scratch.write("file", "");
  const auto to = tree_at(scratch.path() / "file/to");
  CHECK_FALSE(copy_results(scratch.path() / "from", *to, [](const auto&) { return true; }));
}

TEST_CASE("a damaged blob is not there already for a copy", "[store]") {
  const Scratch scratch;
  keep(scratch, "a", "");
  const auto all = [](const auto&) { return true; };
  REQUIRE(copy_results(scratch.path() / "from", *tree_at(scratch.path() / "to"), all));
  const auto blob = scratch.path() / "to/cas" / sha256_hex("a");
  std::filesystem::permissions(blob, std::filesystem::perms::owner_all);
  std::ofstream(blob) << "b";
  TreePlace to({"dir:to",
                scratch.path() / "to",
                store::PlaceAccess::read_write,
                Sharing::shared,
                {"r1"},
                Presence::digest});
  CHECK(copy_results(scratch.path() / "from", to, all)->copied == 1);
  CHECK(scratch.read("to/cas/" + sha256_hex("a")) == "a");
  CHECK(copy_results(scratch.path() / "from", to, all)->there_already == 1);
}

}  // namespace pinwheel::host
