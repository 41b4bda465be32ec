#include "wheel/contents.h"

#include "unit/catch.h"

namespace pinwheel::wheel {
namespace {

using Names = std::vector<std::string>;

WheelContents contents_of(const std::string& stem) {
  return {stem + ".dist-info",
          {{"demo/a.so", "A", 1, true},
           {stem + ".data/scripts/run", "B", 2, true},
           {stem + ".dist-info/METADATA", "M" + stem, 3, false},
           {stem + ".dist-info/licenses/LICENSE", "L", 4, false},
           {stem + ".dist-info/RECORD", "R" + stem, 5, false}}};
}

TEST_CASE("a renamed wheel has the same contents, except what states its name") {
  const ContentsChanges changes =
      compare_contents(contents_of("demo-1+cu130"), contents_of("demo_cu130-1"));
  CHECK(changes.identical == 3);
  CHECK(changes.rewritten ==
        Names{"demo_cu130-1.dist-info/METADATA", "demo_cu130-1.dist-info/RECORD"});
  CHECK(changes.faults.empty());
}

TEST_CASE("the build record may be added, and an outdated signature dropped") {
  WheelContents before = contents_of("demo-1");
  WheelContents after = before;
  before.members.push_back({"demo-1.dist-info/RECORD.jws", "S", 1, false});
  after.members.push_back({"demo-1.dist-info/pinwheel.json", "J", 1, false});
  const ContentsChanges changes = compare_contents(before, after);
  CHECK(changes.added == Names{"demo-1.dist-info/pinwheel.json"});
  CHECK(changes.dropped == Names{"demo-1.dist-info/RECORD.jws"});
  CHECK(changes.faults.empty());
}

TEST_CASE("every other difference is a fault") {
  const WheelContents before = contents_of("demo-1+cu130");
  const auto fault = [&](const auto& change) {
    WheelContents after = contents_of("demo-1");
    change(after);
    return compare_contents(before, after).faults;
  };
  CHECK(fault([](WheelContents& w) { w.members[0].sha256 = "X"; }) ==
        Names{"`demo/a.so` has other contents"});
  CHECK(fault([](WheelContents& w) { w.members[0].executable = false; }) ==
        Names{"`demo/a.so` has another mode"});
  CHECK(fault([](WheelContents& w) { w.members[1].size = 7; }) ==
        Names{"`demo-1.data/scripts/run` has other contents"});
  CHECK(fault([](WheelContents& w) { w.members[3].sha256 = "X"; }) ==
        Names{"`demo-1.dist-info/licenses/LICENSE` has other contents"});
  CHECK(fault([](WheelContents& w) { w.members.erase(w.members.begin()); }) ==
        Names{"`demo/a.so` is missing"});
  CHECK(fault([](WheelContents& w) {
          w.members.push_back({"b.py", "B", 1, false});
        }) == Names{"`b.py` was added"});
  // No name hides another file.
  CHECK(fault([](WheelContents& w) {
          w.members.push_back({"*.dist-info/METADATA", "B", 1, false});
        }) == Names{"`*.dist-info/METADATA` was added"});
  // A file of another package's metadata states nothing about this wheel.
  CHECK(fault([](WheelContents& w) {
          w.members.push_back({"other-1.dist-info/METADATA", "B", 1, false});
        }) == Names{"`other-1.dist-info/METADATA` was added"});
}

}  // namespace
}  // namespace pinwheel::wheel
