#include "plan/ninja_state.h"

#include <fmt/format.h>

#include <cstring>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

constexpr const char* kLog =
    "# ninja log v5\n"
    "2\t302\t1700000000000000001\ta.o\t1f\n"
    "3\t503\t0\tb.o\t2f\n"
    "1\t90\t1700000009000000000\ta.o\t1f\n"
    "4\t95\t1700000009000000005\tlib m.so\t3f\n";

std::string word(uint32_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string path_record(std::string path, uint32_t id) {
  path.resize((path.size() + 3) / 4 * 4, '\0');
  return word(static_cast<uint32_t>(path.size() + 4)) + path + word(~id);
}

std::string deps_record(uint32_t output, uint64_t mtime, const std::vector<uint32_t>& inputs) {
  std::string bytes =
      word(output) + word(static_cast<uint32_t>(mtime)) + word(static_cast<uint32_t>(mtime >> 32U));
  for (const uint32_t input : inputs) bytes += word(input);
  return word(static_cast<uint32_t>(bytes.size()) | 0x80000000U) + bytes;
}

std::string deps_file() {
  return "# ninjadeps\n" + word(4) + path_record("a.o", 0) + path_record("/usr/include/x.h", 1) +
         deps_record(0, 77, {1}) + path_record("old.h", 2) + path_record("b.o", 3) +
         deps_record(3, 88, {1, 2}) + deps_record(3, 99, {2});
}

std::set<std::string> inputs_of(const std::string& deps, const std::set<std::string>& outputs) {
  const Result<std::set<std::string>> inputs = ninja_inputs(deps, outputs);
  REQUIRE(inputs);
  return *inputs;
}

}  // namespace

TEST_CASE("the last line of each output of a log of ninja is its finished command") {
  CHECK(ninja_entries(kLog) == std::vector<NinjaEntry>{{3, 503, 0, "b.o"},
                                                       {1, 90, 1700000009000000000, "a.o"},
                                                       {4, 95, 1700000009000000005, "lib m.so"}});
  CHECK(records_outputs(kLog));
}

TEST_CASE("later versions of ninja record when a command started") {
  for (const char* const version : {"6", "7"}) {
    const std::string log = fmt::format("# ninja log v{}\n100\t400\t5000000000\ta.o\t1\n", version);
    CHECK(ninja_entries(log) == std::vector<NinjaEntry>{{100, 400, 5000000000, "a.o"}});
    CHECK_FALSE(records_outputs(log));
  }
}

TEST_CASE("a line of a log that was cut off is no finished command") {
  const std::string log = std::string(kLog) + "5\t99\t0\tc.o\t4";
  CHECK(ninja_entries(log) == ninja_entries(kLog));
  CHECK(ninja_entries(log + "f\n").size() == 4);
}

TEST_CASE("lines that make no sense and other texts have no commands") {
  CHECK(ninja_entries("# ninja log v4\n1\t2\t0\ta\t1\n").empty());
  CHECK(ninja_entries("").empty());
  CHECK(ninja_entries("# ninja log v5\n1\t2\t0\ta\n9\t2\t0\ta\t1\nx\t2\t0\ta\t1\n1\t2\t0\t\t1\n")
            .empty());
}

TEST_CASE("the inputs of finished outputs are those of the last record") {
  CHECK(inputs_of(deps_file(), {"a.o"}) == std::set<std::string>{"/usr/include/x.h"});
  CHECK(inputs_of(deps_file(), {"b.o"}) == std::set<std::string>{"old.h"});
  CHECK(inputs_of(deps_file(), {"c.o"}).empty());
}

TEST_CASE("a record of inputs that was cut off is skipped, and damage is an error") {
  const std::string whole = deps_file();
  const std::string cut = whole.substr(0, whole.size() - 1);
  CHECK(inputs_of(cut, {"b.o"}) == std::set<std::string>{"/usr/include/x.h", "old.h"});
  CHECK_FALSE(ninja_inputs("# ninjadeps\n" + word(3), {}));
  CHECK_FALSE(ninja_inputs("", {}));
  CHECK_FALSE(ninja_inputs(whole + deps_record(0, 1, {9}), {"a.o"}));
  CHECK_FALSE(ninja_inputs(whole + word(6 | 0x80000000U) + "123456", {}));
}

TEST_CASE("new times replace those of a log and of its inputs") {
  const auto next = [](int64_t time) { return time + 1; };
  CHECK(with_new_times_log("# ninja log v6\n1\t2\t5\ta.o\tf\n1\t2\t0\tb.o\te\nbad\n1\t2", next) ==
        "# ninja log v6\n1\t2\t6\ta.o\tf\n1\t2\t0\tb.o\te\n");
  const Result<std::string> deps = with_new_times_deps(deps_file() + word(400), next);
  REQUIRE(deps);
  CHECK(deps->size() == deps_file().size());
  CHECK(deps->find(deps_record(0, 78, {1})) != std::string::npos);
  CHECK(deps->find(deps_record(3, 100, {2})) != std::string::npos);
  CHECK_FALSE(with_new_times_deps("x", next));
}
