#include "publish/yank.h"

#include "unit/catch.h"

using namespace pinwheel;
using publish::Addition;
using publish::Catalog;
using publish::YankChange;
using publish::YankedFile;

namespace {

/// Three versions, two of which have a file for two labels, listed also in the root.
Catalog yank_sample() {
  Catalog catalog;
  for (const char* version : {"1.0+cpu", "1.0+cu130", "1.1+cpu"}) {
    const std::string name = std::string("demo_ops-") + version + "-py3-none-any.whl";
    const std::string label = std::string(version).substr(4);
    const publish::CatalogFile file{label + "/demo-ops/" + name, "00"};
    catalog.places[label]["demo-ops"][name] = file;
    catalog.places[""]["demo-ops"][name] = file;
  }
  return catalog;
}

constexpr const char* kCpuWheel = "demo_ops-1.0+cpu-py3-none-any.whl";
constexpr const char* kCudaWheel = "demo_ops-1.0+cu130-py3-none-any.whl";

publish::YankRequest yank_request(const char* version, std::optional<std::string> reason = {},
                                  YankChange change = YankChange::yank) {
  return {*publish::parse_pinned_version(version), change, std::move(reason)};
}

std::optional<std::string> yank_status(const Catalog& catalog, const std::string& place,
                                       const std::string& file) {
  return catalog.places.at(place).at("demo-ops").at(file).yanked;
}

}  // namespace

TEST_CASE("all files of a version are yanked, in every place") {
  const auto yanked = publish::yank(yank_sample(), yank_request("demo-ops==1.0", "wrong sums"));
  REQUIRE(yanked);
  CHECK(yanked->files == std::vector<YankedFile>{{kCpuWheel, true}, {kCudaWheel, true}});
  for (const char* place : {"", "cpu"})
    CHECK(yank_status(yanked->catalog, place, kCpuWheel) == "wrong sums");
  for (const char* place : {"", "cu130"}) {
    CHECK(yank_status(yanked->catalog, place, kCudaWheel) == "wrong sums");
  }
  CHECK_FALSE(yank_status(yanked->catalog, "", "demo_ops-1.1+cpu-py3-none-any.whl"));
}

TEST_CASE("all cuts of a version are yanked") {
  Catalog catalog = yank_sample();
  const std::string recut = "demo_ops-1.0+cpu-1-py3-none-any.whl";
  catalog.places[""]["demo-ops"][recut] = {"cpu/demo-ops/" + recut, "01"};
  const auto yanked = publish::yank(catalog, yank_request("demo-ops==1.0+cpu"));
  REQUIRE(yanked);
  CHECK(yanked->files == std::vector<YankedFile>{{recut, true}, {kCpuWheel, true}});
}

TEST_CASE("a local version is yanked alone") {
  const auto yanked = publish::yank(yank_sample(), yank_request("demo-ops==1.0+cu130"));
  REQUIRE(yanked);
  CHECK(yanked->files == std::vector<YankedFile>{{kCudaWheel, true}});
  CHECK(yank_status(yanked->catalog, "cu130", kCudaWheel) == "");
  CHECK_FALSE(yank_status(yanked->catalog, "", kCpuWheel));
}

TEST_CASE("yanking again changes the reason only if there is another") {
  const auto first = publish::yank(yank_sample(), yank_request("demo-ops==1.0+cpu", "wrong sums"));
  REQUIRE(first);
  for (const auto& same :
       {yank_request("demo-ops==1.0+cpu", "wrong sums"), yank_request("demo-ops==1.0+cpu")}) {
    const auto again = publish::yank(first->catalog, same);
    REQUIRE(again);
    CHECK(again->files == std::vector<YankedFile>{{kCpuWheel, false}});
    CHECK(again->catalog == first->catalog);
  }
  const auto other = publish::yank(first->catalog, yank_request("demo-ops==1.0", "see #12"));
  REQUIRE(other);
  CHECK(yank_status(other->catalog, "cpu", kCpuWheel) == "see #12");
  const auto undone =
      publish::yank(other->catalog, yank_request("demo-ops==1.0", {}, YankChange::undo));
  REQUIRE(undone);
  CHECK(undone->catalog == yank_sample());
}

TEST_CASE("a version that the index does not have is an error with the newest ones") {
  const auto missing = publish::yank(yank_sample(), yank_request("demo-ops==2.0"));
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::nothing_selected);
  CHECK(missing.error().message == "the index has no file of `demo-ops==2.0`");
  CHECK(missing.error().hint == "its newest versions are `1.1+cpu`, `1.0+cu130`, `1.0+cpu`");
  const auto other = publish::yank(yank_sample(), yank_request("other==1.0"));
  REQUIRE_FALSE(other);
  CHECK(other.error().hint == "it has no file of that project");
}

TEST_CASE("a reason is one line that can be printed") {
  CHECK(publish::check_yank_reason("wrong sums on sm_120: \"#12\" <b>"));
  CHECK(publish::check_yank_reason("fehlerhaft für sm_120"));
  for (const std::string& reason : {std::string("two\nlines"), std::string("\x1b[31mred"),
                                    std::string("\xff"), std::string(501, 'x')}) {
    const auto checked = publish::check_yank_reason(reason);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().kind == ErrorKind::usage);
  }
}

TEST_CASE("a new file of a yanked version is yanked, too") {
  const auto yanked = publish::yank(yank_sample(), yank_request("demo-ops==1.0+cpu", "wrong sums"));
  REQUIRE(yanked);
  const auto add = [&](const std::string& filename) {
    return publish::add(yanked->catalog,
                        {Addition{filename, "demo-ops", "cpu", publish::InRoot::no, {"", "11"}}});
  };
  const std::string same = "demo_ops-1.0+cpu-py3-none-linux_x86_64.whl";
  const auto added = add(same);
  REQUIRE(added);
  CHECK(yank_status(added->catalog, "cpu", same) == "wrong sums");
  const std::string next = "demo_ops-1.0.1+cpu-py3-none-any.whl";
  const auto other = add(next);
  REQUIRE(other);
  CHECK_FALSE(yank_status(other->catalog, "cpu", next));
}
