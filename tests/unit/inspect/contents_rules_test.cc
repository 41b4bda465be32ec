#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

TEST_CASE("RECORD must match the members") {
  WheelFacts facts = pure_facts();
  facts.members[0].sha256 = "other";
  facts.members.push_back({"demo/new.py", 1, 1, 0, 0, "new"});
  CHECK(finding_texts(facts) ==
        Texts{"[record] `demo/__init__.py`: does not match its sha256 in RECORD",
              "[record] `demo/new.py`: is not in RECORD"});
}

TEST_CASE("a member that could not be read is reported once") {
  WheelFacts facts = pure_facts();
  facts.members.erase(facts.members.begin());
  facts.unreadable = {{"archive", "demo/__init__.py", "is damaged"}};
  CHECK(finding_texts(facts) == Texts{"[archive] `demo/__init__.py`: is damaged"});
}

TEST_CASE("faults of the archive are findings of their member or of the file") {
  WheelFacts facts = pure_facts();
  facts.archive = {{"demo/__init__.py", "member `demo/__init__.py` has a comment", "hint"},
                   {"", "the archive is followed by 3 bytes"}};
  const std::vector<Finding> found = findings_of(facts);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == Finding{"archive", "demo/__init__.py",
                            "member `demo/__init__.py` has a comment", "", "hint"});
  CHECK(found[1].file == facts.file_name);
}

TEST_CASE("a wheel may be as large as the limit, the largest members are the evidence") {
  WheelFacts facts = pure_facts();
  facts.members.push_back({"demo/big", 9000000, 5000000, 0, 0, "big"});
  facts.record->push_back({"demo/big", "sha256", "big", 9000000});
  facts.file_size = 6000000;
  Expectations expected;
  expected.size_limit = 6000000;
  CHECK(finding_texts(facts, expected).empty());
  expected.size_limit = 5999999;
  CHECK(finding_texts(facts, expected) ==
        Texts{"[size] `demo_kit-1.0-py3-none-any.whl`: has 6.0 MB, more than the limit of 6.0 MB "
              "(largest: `demo/big` 5.0 MB, `demo_kit-1.0.dist-info/RECORD` 50 B, "
              "`demo/__init__.py` 8 B)"});
}

}  // namespace
}  // namespace pinwheel::inspect
