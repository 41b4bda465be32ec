#include "compat/open_order.h"

#include <nlohmann/json.hpp>

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

inspect::WheelFacts facts_of(std::vector<inspect::ElfMember> libraries) {
  inspect::WheelFacts facts = wheel_wanting({});
  facts.libraries = std::move(libraries);
  return facts;
}

TEST_CASE("the wheel's libraries are opened before their users, found by soname or file name") {
  inspect::ElfMember core = inspect::library("demo.libs/libcore-1a2b.so.1", {"libc.so.6"});
  core.elf.soname = "libcore.so.1";
  const std::vector<OpenOrder> orders = open_orders(facts_of(
      {inspect::library("demo/_C.so", {"libhelp.so", "libtorch.so"}),
       inspect::library("demo/libhelp.so", {"libcore.so.1", "libhelp.so"}), std::move(core)}));
  REQUIRE(orders.size() == 3);
  CHECK(orders[0].member == "demo/_C.so");
  CHECK(orders[0].paths == Texts{"demo.libs/libcore-1a2b.so.1", "demo/libhelp.so", "demo/_C.so"});
  CHECK(orders[2].paths == Texts{"demo.libs/libcore-1a2b.so.1"});
}

TEST_CASE("libraries with cyclic dependencies terminate") {
  const std::vector<OpenOrder> orders = open_orders(facts_of(
      {inspect::library("a/liba.so", {"libb.so"}), inspect::library("a/libb.so", {"liba.so"})}));
  REQUIRE(orders.size() == 2);
  CHECK(orders[0].paths == Texts{"a/libb.so", "a/liba.so"});
}

TEST_CASE("a library is opened where it is installed; programs and data are not opened") {
  inspect::WheelFacts facts = facts_of({inspect::library("x-1.data/platlib/demo/_C.so", {}),
                                        inspect::library("x-1.data/scripts/tool.so", {}),
                                        inspect::library("demo/bin/tool", {})});
  const std::vector<OpenOrder> orders = open_orders(facts);
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].member == "x-1.data/platlib/demo/_C.so");
  CHECK(orders[0].paths == Texts{"demo/_C.so"});
}

TEST_CASE("the request has the fields that the script reads, and its reply is parsed") {
  const nlohmann::json request = nlohmann::json::parse(
      to_json({{"torch"}, {{"demo/_C.so", {"a.so", "demo/_C.so"}}}, {"demo"}}));
  CHECK(request.at("imports") == nlohmann::json{"torch"});
  CHECK(request.at("modules") == nlohmann::json{"demo"});
  CHECK(request.at("libraries")[0].at("paths") == nlohmann::json{"a.so", "demo/_C.so"});
  const auto opened =
      parse_opened(R"([{"member": "a", "error": ""}, {"member": "b", "error": "no"}])");
  REQUIRE(opened);
  REQUIRE(opened->size() == 2);
  CHECK((*opened)[1].error == "no");
  for (const char* const text : {"", "{}", "[1]", R"([{"member": 1, "error": ""}])"}) {
    CHECK_FALSE(parse_opened(text));
  }
}

TEST_CASE("modules with libraries are imported, or all if none has libraries") {
  const inspect::WheelFacts facts = facts_of(
      {inspect::library("demo/sub/_C.so", {}), inspect::library("solo.cpython-311.so", {})});
  CHECK(modules_to_import({"demo", "demo_tests", "solo"}, facts) == Texts{"demo", "solo"});
  CHECK(modules_to_import({"demo_tests", "tools"}, facts) == Texts{"demo_tests", "tools"});
}

TEST_CASE("requirements on projects other than torch are returned, malformed ones are not") {
  inspect::WheelFacts facts = wheel_wanting({});
  facts.metadata = *wheel::parse_metadata(
      "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\nRequires-Dist: Torch (==2.12)\n"
      "Requires-Dist: numpy>=1; python_version < '3.14'\nRequires-Dist: --index-url=x\n"
      "Requires-Dist: pytest; extra == 'dev'\n");
  const Texts others = other_requirements(facts);
  REQUIRE(others.size() == 1);
  CHECK(others[0].starts_with("numpy>=1;"));
}

}  // namespace
}  // namespace pinwheel::compat
