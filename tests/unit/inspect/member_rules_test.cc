#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

/// Member and message of the findings of both rules, which are errors.
Texts findings_of_members(std::vector<MemberFacts> members) {
  WheelFacts facts = pure_facts();
  facts.members = std::move(members);
  Texts out;
  for (const Finding& finding : findings_of(facts, {}, {"special-members", "hidden-characters"})) {
    CHECK(finding.severity == Severity::error);
    out.push_back(finding.file + " " + finding.message);
  }
  return out;
}

TEST_CASE("members that installers do not install as what they are") {
  CHECK(findings_of_members({{"demo/link", 3, 3, 1, 0120777, "a"},
                             {"demo/pipe", 0, 0, 1, 0010644, "b"},
                             {"demo/device", 0, 0, 1, 0020666, "b"},
                             {"demo/root", 3, 3, 1, 0104755, "c"},
                             {"demo/fine.py", 3, 3, 1, 0100755, "d"},
                             {"demo/no_mode.py", 3, 3, 1, 0, "e"}}) ==
        Texts{"demo/link is a symbolic link, which installers write as a text file",
              "demo/pipe is neither a file nor a directory",
              "demo/device is neither a file nor a directory",
              "demo/root has a setuid or setgid bit"});
}

TEST_CASE("names that do not read as what they are") {
  const std::string message =
      " has a name with invisible characters, or with characters that reverse the text";
  const std::string turned = "demo/\xe2\x80\xaeyp.exe";
  const std::string control =
      "demo/\xc2\x9b"
      "2J.py";
  const std::string no_width = "demo/a\xe2\x80\x8b.py";
  CHECK(findings_of_members({{turned, 3, 3, 1, 0, "a"},
                             {control, 3, 3, 1, 0, "b"},
                             {no_width, 3, 3, 1, 0, "c"},
                             {"demo/caf\xc3\xa9 \xd7\x90.py", 3, 3, 1, 0, "d"}}) ==
        Texts{turned + message, control + message, no_width + message});
}

}  // namespace
}  // namespace pinwheel::inspect
