#include "prepare/store_places.h"

#include "fakes/fake_host.h"
#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

using Texts = std::vector<std::string>;
using Places = std::vector<store::PlaceDescription>;

Places parsed(const Texts& places) {
  Places out;
  for (const std::string& place : places) {
    out.push_back(store::parse_place(place, store::NamedBy::matrix).value());
  }
  return out;
}

Texts texts(const Result<Places>& places) {
  REQUIRE(places);
  Texts out;
  for (const store::PlaceDescription& place : *places) out.push_back(store::to_string(place));
  return out;
}

matrix::Matrix with_stores(const Texts& stores) {
  matrix::Matrix matrix;
  matrix.file = "matrix/m.yaml";
  matrix.directory = "matrix";
  matrix.stores = parsed(stores);
  return matrix;
}

Result<Places> named_by(const StoreOptions& options, const Host& host) {
  return read_run_store(options, host).map([](const RunStore& store) { return store.places; });
}

TEST_CASE("the places of the command line take the place of the variable's") {
  fakes::FakeHost fake;
  CHECK(texts(named_by({}, fake.host)).empty());
  CHECK(texts(variable_places({})).empty());
  fake.host.stores = variable_places({{"PINWHEEL_STORE", "local https://example.org/a"}});
  CHECK(texts(named_by({}, fake.host)) == Texts{"local", "https://example.org/a"});
  CHECK(texts(named_by({.places = {"local"}}, fake.host)) == Texts{"local"});
  const auto refused = named_by({.places = {"nowhere"}}, fake.host);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
}

TEST_CASE("a variable that names no place is an error where no option names one") {
  fakes::FakeHost fake;
  fake.host.stores = variable_places({{"PINWHEEL_STORE", "local nowhere"}});
  REQUIRE_FALSE(fake.host.stores);
  CHECK(fake.host.stores.error().kind == ErrorKind::usage);
  const auto refused = named_by({}, fake.host);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == fake.host.stores.error().message);
  CHECK(texts(named_by({.places = {"local"}}, fake.host)) == Texts{"local"});
}

TEST_CASE("a directory that a matrix names is relative to its file") {
  const fakes::FakeHost fake;
  const auto named = named_by({.places = {"dir:out", "local"}}, fake.host);
  REQUIRE(named);
  CHECK(directories_of(*named) == Texts{"out"});
  const auto of_matrix = matrix_places(with_stores({"dir:../results", "dir:/all", "local"}), {});
  CHECK(directories_of(of_matrix) == Texts{"results", "/all"});
}

TEST_CASE("in the event of a pull request the places of a matrix are only read") {
  const matrix::Matrix matrix = with_stores({"local"});
  CHECK(matrix_places(matrix, {}).front().access == store::PlaceAccess::read_write);
  for (const char* const event : {"pull_request", "pull_request_target"}) {
    const auto places = matrix_places(matrix, {{"GITHUB_EVENT_NAME", event}});
    CHECK(places.front().access == store::PlaceAccess::read_only);
  }
}

TEST_CASE("places and a domain that a run cannot have are refused by themselves") {
  fakes::FakeHost fake;
  CHECK(read_run_store({.places = {"local"}, .domain = "release"}, fake.host));
  for (const StoreOptions& options :
       {StoreOptions{.places = {"nowhere"}}, StoreOptions{.domain = "nonsense"}}) {
    const Result<RunStore> refused = read_run_store(options, fake.host);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::usage);
  }
  fake.host.variables["GITHUB_EVENT_NAME"] = "pull_request";
  const Result<RunStore> request = read_run_store({.domain = "release"}, fake.host);
  REQUIRE_FALSE(request);
  CHECK(request.error().kind == ErrorKind::usage);
}

}  // namespace
}  // namespace pinwheel::prepare
