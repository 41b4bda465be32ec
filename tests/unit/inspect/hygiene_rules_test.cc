#include "inspect/installed_path.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

/// The findings of these rules for a wheel with these members.
Texts member_findings(std::vector<MemberFacts> members) {
  WheelFacts facts = pure_facts();
  facts.members = std::move(members);
  Texts out;
  for (const Finding& finding :
       findings_of(facts, {}, {"byte-code", "top-level", "duplicates", "odd-members"})) {
    CHECK(finding.severity == Severity::warning);
    out.push_back(finding.rule + " " + finding.file);
  }
  return out;
}

Texts name_findings(const std::vector<std::string>& names) {
  std::vector<MemberFacts> members;
  for (const std::string& name : names) {
    members.push_back({name, 10, 8, 7, 0100644, name});
  }
  return member_findings(std::move(members));
}

TEST_CASE("members are installed in site-packages or elsewhere") {
  const WheelFacts facts = pure_facts();
  CHECK(installed_path("demo/_C.so") == "demo/_C.so");
  CHECK(installed_path("demo-1.0.data/platlib/demo/_C.so") == "demo/_C.so");
  CHECK(installed_path("demo-1.0.data/purelib/demo.py") == "demo.py");
  CHECK_FALSE(installed_path("demo-1.0.data/scripts/run"));
  CHECK(installed_path("demo/x.data/scripts/run") == "demo/x.data/scripts/run");
  CHECK_FALSE(library_path(facts, "demo_kit-1.0.dist-info/WHEEL"));
}

TEST_CASE("bytecode is reported") {
  CHECK(name_findings({"demo/__pycache__/a.cpython-312.pyc", "demo/a.py", "b.pyo"}) ==
        Texts{"byte-code demo/__pycache__/a.cpython-312.pyc", "byte-code b.pyo"});
}

TEST_CASE("top-level entries have uncommon names and are importable") {
  CHECK(
      name_findings({"demo/__init__.py", "demo.pth", "one.py", "_C.cpython-312-x86_64-linux-gnu.so",
                     "demo-stubs/__init__.pyi", "demo.libs/libx-1.so", "demo/libx-2.so",
                     "demo_kit-1.0.data/scripts/a-b.py", "demo/data-1/readme.txt"})
          .empty());
  CHECK(name_findings({"tests/test_a.py", "tests/test_b.py", "README.md", "__init__.py", "build.py",
                       "demo/a-b.py", "demo-1/c.py", "demo_kit-1.0.data/purelib/docs/x.txt"}) ==
        Texts{"top-level tests/test_a.py", "top-level README.md", "top-level __init__.py",
              "top-level build.py", "top-level demo/a-b.py", "top-level demo-1/c.py",
              "top-level demo_kit-1.0.data/purelib/docs/x.txt"});
}

TEST_CASE("large duplicates are reported") {
  const auto file = [](const std::string& name, uint64_t size, const std::string& digest) {
    return MemberFacts{name, size, 700, 1, 0100644, digest};
  };
  CHECK(member_findings({file("demo/b.bin", 2000, "x"), file("demo/a.bin", 2000, "x"),
                         file("demo/c.txt", 10, "y"), file("demo/d.txt", 10, "y"),
                         file("demo_kit-1.0.dist-info/LICENSE", 2000, "x")}) ==
        Texts{"duplicates demo/b.bin"});
}

TEST_CASE("duplicates are found by size and checksum among members that were not read") {
  WheelFacts facts = pure_facts();
  facts.partial = PartialReading{{"demo/a.bin", "demo/b.bin"}};
  facts.members = {{"demo/a.bin", 2000, 700, 1, 0100644, ""},
                   {"demo/b.bin", 2000, 700, 1, 0100644, ""},
                   {"demo/c.bin", 2000, 700, 2, 0100644, ""},
                   {"demo/d.bin", 2000, 700, 2, 0100644, "digest"}};
  Texts files;
  for (const Finding& finding : findings_of(facts, {}, {"duplicates"})) {
    files.push_back(finding.file);
  }
  CHECK(files == Texts{"demo/a.bin", "demo/c.bin"});
}

TEST_CASE("odd members are reported with the reason") {
  WheelFacts facts = pure_facts();
  facts.members = {
      {"demo/a b", 3, 3, 1, 0, "d"},           {"demo/caf\xc3\xa9", 3, 3, 1, 0, "e"},
      {"demo/.git/x", 3, 3, 1, 0, "f"},        {"demo/x.o", 3, 3, 1, 0, "g"},
      {"demo/Readme", 3, 3, 1, 0, "h"},        {"demo/README", 3, 3, 1, 0, "i"},
      {"demo/fine.py", 3, 3, 1, 0100755, "j"}, {"demo/" + std::string(200, 'x'), 3, 3, 1, 0, "k"}};
  Texts messages;
  for (const Finding& finding : findings_of(facts, {}, {"odd-members"})) {
    messages.push_back(finding.message);
  }
  CHECK(messages == Texts{"has a space in its name", "has a name that is not ASCII",
                          "looks like a leftover of a tool or an editor",
                          "looks like a leftover of a tool or an editor",
                          "has a name of 205 bytes, too long for some systems",
                          "differs only by case from `demo/Readme`, and one overwrites the other "
                          "on case-insensitive systems"});
}

TEST_CASE("names that Windows rejects are reported where the wheel is for Windows too") {
  const std::vector<std::string> names = {
      "demo/a:b.txt",   "demo/aux.py", "demo/COM1",         "demo/lpt\u00b2.x", "demo/nul/x",
      "demo/what?.txt", "demo/ends.",  "demo/auxiliary.py", "demo/com10.py",    "demo/console.py"};
  WheelFacts facts = pure_facts();
  facts.members.clear();
  for (const std::string& name : names) facts.members.push_back({name, 3, 3, 1, 0, name});
  Texts files;
  for (const Finding& finding : findings_of(facts, {}, {"odd-members"})) {
    CHECK(finding.severity == Severity::warning);
    files.push_back(finding.file);
  }
  CHECK(files == Texts(names.begin(), names.begin() + 7));
  facts.name->tags.platform = {"manylinux_2_28_x86_64"};
  CHECK(findings_of(facts, {}, {"odd-members"}).size() == 1);  // not ASCII, on every system
  facts.name->tags.platform = {"win_amd64"};
  CHECK(findings_of(facts, {}, {"odd-members"}).size() == 7);
}

TEST_CASE("an editable wheel is reported") {
  WheelFacts facts = pure_facts();
  facts.editable_paths = {"__editable__.demo_kit-1.0.pth"};
  const std::vector<Finding> found = findings_of(facts, {}, {"odd-members"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].file == "__editable__.demo_kit-1.0.pth");
}

}  // namespace
}  // namespace pinwheel::inspect
