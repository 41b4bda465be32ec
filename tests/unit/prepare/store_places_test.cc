#include "prepare/store_places.h"

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const Result<std::vector<store::PlaceDescription>>& places) {
  REQUIRE(places);
  Texts out;
  for (const store::PlaceDescription& place : *places) out.push_back(store::to_string(place));
  return out;
}

matrix::Matrix with_stores(Texts stores) {
  matrix::Matrix matrix;
  matrix.file = "matrix/m.yaml";
  matrix.directory = "matrix";
  matrix.stores = std::move(stores);
  return matrix;
}

TEST_CASE("the places of the command line take the place of the variable's") {
  const std::map<std::string, std::string> variables = {
      {"PINWHEEL_STORE", "local https://example.org/a"}};
  CHECK(texts(named_places({}, variables)) == Texts{"local", "https://example.org/a"});
  CHECK(texts(named_places({.places = {"local"}}, variables)) == Texts{"local"});
  CHECK(texts(named_places({}, {})).empty());
  const auto refused = named_places({.places = {"nowhere"}}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
}

TEST_CASE("a directory that a matrix names is relative to its file") {
  const auto named = named_places({.places = {"dir:out", "local"}}, {});
  REQUIRE(named);
  CHECK(directories_of(*named) == Texts{"out"});
  const auto of_matrix = matrix_places(with_stores({"dir:../results", "dir:/all", "local"}), {});
  REQUIRE(of_matrix);
  CHECK(directories_of(*of_matrix) == Texts{"results", "/all"});
}

TEST_CASE("in the event of a pull request the places of a matrix are only read") {
  const matrix::Matrix matrix = with_stores({"local"});
  CHECK(matrix_places(matrix, {})->front().access == store::PlaceAccess::read_write);
  for (const char* const event : {"pull_request", "pull_request_target"}) {
    const auto places = matrix_places(matrix, {{"GITHUB_EVENT_NAME", event}});
    CHECK(places->front().access == store::PlaceAccess::read_only);
  }
}

TEST_CASE("what is no place in a matrix is an error that names the file") {
  const auto refused = matrix_places(with_stores({"ftp://example.org"}), {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().message.starts_with("`store` of `matrix/m.yaml`: "));
}

TEST_CASE("places and a domain that a run cannot have are refused by themselves") {
  CHECK(read_run_store({.places = {"local"}, .domain = "release"}, {}));
  for (const StoreOptions& options :
       {StoreOptions{.places = {"nowhere"}}, StoreOptions{.domain = "nonsense"}}) {
    const Result<RunStore> refused = read_run_store(options, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::usage);
  }
  const Result<RunStore> request =
      read_run_store({.domain = "release"}, {{"GITHUB_EVENT_NAME", "pull_request"}});
  REQUIRE_FALSE(request);
  CHECK(request.error().kind == ErrorKind::usage);
}

}  // namespace
}  // namespace pinwheel::prepare
