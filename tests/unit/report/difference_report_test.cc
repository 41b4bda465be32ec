#include "report/difference_report.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::report {
namespace {

using namespace inspect;

TEST_CASE("a comparison has a text and a JSON form") {
  const WheelFacts before = native_facts();
  WheelFacts after = native_facts();
  after.file_size = 1500;
  after.members[0].sha256 = "other";
  after.libraries[0].elf.needed.push_back("libz.so.1");
  REQUIRE(after.members[0].name == "demo/__init__.py");
  const auto read = [](Side side, const std::string& /*name*/) -> Result<std::string> {
    return side == Side::old_wheel ? "x = 1" : "x = 2";
  };
  const WheelDifference found = difference(before, after, false, read);
  const std::string name = before.file_name;
  CHECK(difference_text(before, after, found) ==
        name + " -> " + name +
            "\n"
            "  result           different files\n"
            "  size             1.0 KB -> 1.5 KB, +500 B\n"
            "  + needs          libz.so.1\n"
            "  changed          demo/__init__.py: contents, the same size\n");
  const nlohmann::json json = nlohmann::json::parse(difference_json(before, after, found));
  CHECK(json["schema"] == 1);
  CHECK(json["sameness"] == "different");
  CHECK(json["needed"]["gained"] == nlohmann::json{"libz.so.1"});
  CHECK(json["changed"][0]["cause"] == "contents");
  CHECK(json.size() == 16);
  CHECK(difference_text(before, before, difference(before, before, true, {})) ==
        name + " -> " + name + "\n  result           the same bytes\n");
}

}  // namespace
}  // namespace pinwheel::report
