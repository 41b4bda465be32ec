#include "inspect/difference.h"

#include <map>

#include <nlohmann/json.hpp>

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

/// The contents of each side's members.
using Contents = std::map<std::string, std::string>;

WheelDifference compare(const WheelFacts& before, const WheelFacts& after,
                        const Contents& old_contents = {}, const Contents& new_contents = {}) {
  return difference(before, after, false,
                    [&](Side side, const std::string& name) -> Result<std::string> {
                      const Contents& files = side == Side::old_wheel ? old_contents : new_contents;
                      const auto found = files.find(name);
                      if (found == files.end()) return fail(ErrorKind::check, "not there");
                      return found->second;
                    });
}

void set_digest(WheelFacts& facts, const std::string& name, const std::string& digest) {
  for (MemberFacts& member : facts.members) {
    if (member.name == name) member.sha256 = digest;
  }
}

TEST_CASE("the same bytes are identical, the same files in a different archive are not") {
  const WheelFacts facts = pure_facts();
  CHECK(difference(facts, facts, true, {}).sameness == Sameness::identical);
  WheelFacts other = facts;
  std::swap(other.members[0], other.members[1]);
  other.members[0].time = 5;
  other.members[0].mode = 0100755;
  other.members[0].compressed_size += 1;
  const WheelDifference found = compare(facts, other);
  CHECK(found.sameness == Sameness::same_contents);
  CHECK(found.archive == Texts{"order", "time", "compression", "mode"});
  CHECK(found.changed.empty());
}

TEST_CASE("device code that cannot be read is part of the difference") {
  const WheelFacts before = native_facts();
  WheelFacts after = native_facts();
  after.unreadable = {{"device-code", "demo/_C.so", "a cubin is damaged"},
                      {"metadata", "METADATA", "no name"}};
  const std::vector<UnreadPart> expected = {{Side::new_wheel, "demo/_C.so", "a cubin is damaged"}};
  CHECK(compare(before, after).unread == expected);
  CHECK(compare(after, before).unread.front().side == Side::old_wheel);
}

TEST_CASE("gains and losses are listed by name") {
  const WheelFacts before = native_facts();
  WheelFacts after = native_facts("py3-none-manylinux_2_31_x86_64");
  after.members.push_back({"demo/new.py", 1, 1, 1, 0, "n"});
  after.libraries[0].elf.needed = {"libcudart.so.13"};
  after.device_code = {{"demo/_C.so", {{binary::CodeKind::cubin, "sm_90a"}}}};
  after.metadata = *wheel::parse_metadata(
      "Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\n"
      "Requires-Python: >=3.10\nRequires-Dist: torch>=2.13\n");
  const WheelDifference found = compare(before, after);
  CHECK(found.sameness == Sameness::different);
  CHECK(found.members == NameChanges{{"demo/new.py"}, {}});
  CHECK(found.needed == NameChanges{{"libcudart.so.13"}, {"libc.so.6"}});
  CHECK(found.architectures == NameChanges{{"sm_90a"}, {}});
  CHECK(found.metadata ==
        NameChanges{{"Requires-Dist: torch>=2.13"}, {"Requires-Dist: torch>=2.10"}});
  CHECK(found.tags ==
        NameChanges{{"py3-none-manylinux_2_31_x86_64"}, {"py3-none-manylinux_2_28_x86_64"}});
}

TEST_CASE("a changed file has a cause, RECORD follows from it") {
  const WheelFacts before = pure_facts();
  WheelFacts after = pure_facts();
  set_digest(after, "demo/__init__.py", "other");
  set_digest(after, "demo_kit-1.0.dist-info/RECORD", "other");
  const WheelDifference found = compare(before, after, {{"demo/__init__.py", "built 2026-11-20"}},
                                        {{"demo/__init__.py", "built 2026-11-22"}});
  REQUIRE(found.changed.size() == 1);
  CHECK(found.changed[0].name == "demo/__init__.py");
  CHECK(found.changed[0].cause == Cause::time);
  CHECK(compare(before, after).changed[0].cause == Cause::contents);
}

TEST_CASE("another version's dist-info is the same directory") {
  WheelFacts before = pure_facts();
  before.members.push_back({"demo_kit-1.0.dist-info/WHEEL", 1, 1, 1, 0, "w"});
  WheelFacts after = pure_facts();
  after.dist_info = "demo_kit-1.1.dist-info";
  after.members = {{"demo/__init__.py", 10, 8, 7, 0100644, "digest"},
                   {"demo_kit-1.1.dist-info/RECORD", 100, 50, 1, 0100644, "self"},
                   {"demo_kit-1.1.dist-info/WHEEL", 1, 1, 1, 0, "w"}};
  CHECK(compare(before, after).members.empty());
}

TEST_CASE("libraries are compared by section and by exported symbol") {
  WheelFacts before = native_facts();
  before.members.push_back({"demo/_C.so", 30, 20, 1, 0, "x"});
  before.libraries[0].elf.sections = {{".note.gnu.build-id", 0, 4}, {".rodata", 4, 26}};
  before.libraries[0].elf.defined = {{"old_name"}, {"kept", "V1"}};
  WheelFacts after = before;
  set_digest(after, "demo/_C.so", "y");
  after.libraries[0].elf.defined = {{"new_name"}, {"kept", "V1"}};
  const std::string one = "id01built in /home/me/src/x.c";
  const std::string other = "id02built in /home/you/src/y.c";
  WheelDifference found = compare(before, after, {{"demo/_C.so", one}}, {{"demo/_C.so", other}});
  REQUIRE(found.changed.size() == 1);
  CHECK(found.changed[0].cause == Cause::path);
  CHECK(found.changed[0].sections == Texts{".note.gnu.build-id", ".rodata"});
  CHECK(found.changed[0].symbols == NameChanges{{"new_name"}, {"old_name"}});
  found = compare(before, after, {{"demo/_C.so", one}}, {{"demo/_C.so", "id02" + one.substr(4)}});
  CHECK(found.changed[0].cause == Cause::random);
  CHECK(found.changed[0].sections == Texts{".note.gnu.build-id"});
}

}  // namespace
}  // namespace pinwheel::inspect
