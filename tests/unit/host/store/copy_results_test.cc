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

TEST_CASE("a damaged blob ends the copy", "[store]") {
  const Scratch scratch;
  keep(scratch, "a", "");
  const auto blob = scratch.path() / "from/cas" / sha256_hex("a");
  std::filesystem::permissions(blob, std::filesystem::perms::owner_all);
  std::ofstream(blob) << "b";
  const auto to = tree_at(scratch.path() / "to");
  const auto copied = copy_results(scratch.path() / "from", *to, [](const auto&) { return true; });
  REQUIRE_FALSE(copied);
  CHECK(copied.error().kind == ErrorKind::check);
}

}  // namespace pinwheel::host
