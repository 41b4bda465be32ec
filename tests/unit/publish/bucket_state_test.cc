#include "publish/bucket_state.h"

#include "unit/catch.h"

using namespace pinwheel;
using publish::BucketState;
using publish::Catalog;

namespace {

constexpr const char* kWheel = "demo_ops-1.0+cpu-py3-none-any.whl";

/// A wheel that the root and a sub-index list, and a project without files.
Catalog bucket_sample() {
  const std::string sha256(64, 'a');
  publish::CatalogFile file{
      publish::bucket_home(sha256, kWheel), sha256, 5, ">=3.10", std::string(64, 'b'),
      "2026-01-02T03:04:05.000006Z"};
  file.yanked = "wrong <sums>";
  Catalog catalog;
  catalog.places[""]["demo-ops"][kWheel] = file;
  catalog.places["cpu"]["demo-ops"][kWheel] = file;
  catalog.places["cpu"]["removed"];
  return catalog;
}

Error state_error(const std::string& text) {
  const auto state = publish::parse_bucket_state(text);
  REQUIRE_FALSE(state);
  return state.error();
}

}  // namespace

TEST_CASE("the state of a bucket is read as it was written") {
  for (const BucketState& state : {BucketState{}, BucketState{7, 6, bucket_sample()}}) {
    const auto read = publish::parse_bucket_state(to_json(state));
    REQUIRE(read);
    CHECK(*read == state);
  }
}

TEST_CASE("a damaged state is an error that says what is wrong") {
  const std::string head = R"({"schema": "pinwheel-bucket-index/1", "generation": 1, )";
  for (const auto& [text, why] : {
           std::pair<std::string, std::string>{"", "its schema is not"},
           {"[]", "its schema is not"},
           {R"({"schema": "other/1"})", "its schema is not"},
           {head + R"("complete": -1, "places": {}})", "`complete` is not a number"},
           {head + R"("complete": 2, "places": {}})", "`complete` is above `generation`"},
           {head + R"("complete": 1, "places": []})", "`places` is not an object"},
           {head + R"("complete": 1, "places": {"../x": {}}})", "is not the name of a sub-index"},
           {head + R"("complete": 1, "places": {"": []}})", "is not an object"},
           {head + R"("complete": 1, "places": {"": {"De_mo": {}}}})",
            "is not the name of a project"},
           {head + R"("complete": 1, "places": {"": {"demo": {}}}})", "damaged"},
       }) {
    INFO(text);
    const Error error = state_error(text);
    CHECK(error.kind == ErrorKind::publish);
    CHECK(error.message.find("the state of the index is damaged") == 0);
    CHECK(error.message.find(why) != std::string::npos);
    CHECK_FALSE(error.hint.empty());
  }
}

TEST_CASE("a state of another version is no damage") {
  const Error error = state_error(R"({"schema": "pinwheel-bucket-index/2"})");
  CHECK(error.message == "the index was written by another version of pinwheel");
  CHECK(error.hint == "update pinwheel");
}

TEST_CASE("a page with its generation has other bytes and the same files") {
  for (const auto& [path, page] : publish::pages_of(bucket_sample())) {
    INFO(path);
    const std::string first = publish::with_generation(path, page, 1);
    CHECK(first != publish::with_generation(path, page, 2));
    CHECK(first.find("1") != std::string::npos);
    if (path.ends_with(".html")) CHECK(first.starts_with(page));
  }
}

TEST_CASE("the pages of a change are those that differ, and every removed project has one") {
  const Catalog before = bucket_sample();
  CHECK(publish::changed_pages(before, before).empty());
  Catalog after = before;
  after.places["cpu"].clear();
  after = publish::with_projects_of(before, std::move(after));
  CHECK(after.places["cpu"].contains("demo-ops"));
  const auto pages = publish::changed_pages(before, after);
  std::vector<std::string> paths;
  for (const auto& [path, page] : pages) {
    paths.push_back(path);
    CHECK(page.find(kWheel) == std::string::npos);
  }
  CHECK(paths == std::vector<std::string>{"cpu/demo-ops/index.html", "cpu/demo-ops/index.json"});
}
