#include "base/text.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("slashes at the end are dropped", "[base]") {
  CHECK(without_trailing_slashes("https://host/simple//") == "https://host/simple");
  CHECK(without_trailing_slashes("a/b") == "a/b");
  CHECK(without_trailing_slashes("/").empty());
  CHECK(without_trailing_slashes("").empty());
}

TEST_CASE("globs match whole texts, with sets and alternatives") {
  CHECK(glob_match("*", ""));
  CHECK(glob_match("cp312-*", "cp312-cpu"));
  CHECK_FALSE(glob_match("cp312", "cp312-cpu"));
  CHECK(glob_match("cp31[12]-cpu", "cp311-cpu"));
  CHECK_FALSE(glob_match("cp31[!12]-cpu", "cp311-cpu"));
  CHECK(glob_match("cp31[!12]-cpu", "cp313-cpu"));
  CHECK(glob_match("{cpu,cu1?0}", "cu130"));
  CHECK_FALSE(glob_match("{cpu,cu1?0}", "cu13"));
  CHECK(glob_match("*a*b*c", "xxaxxbxxbc"));
  CHECK_FALSE(glob_match("*a*b*c", "xxaxxbxxbcd"));
  CHECK(glob_match("[", "["));
}

TEST_CASE("the nearest name is suggested only when it is close") {
  CHECK(nearest("pyton", {"python", "torch"}) == "python");
  CHECK(nearest("torhc", {"python", "torch"}) == "torch");
  CHECK(nearest("idnex", {"index", "pypi"}) == "index");
  CHECK_FALSE(nearest("color", {"python", "torch"}).has_value());
  CHECK(suggest("pyton", {"python", "torch"}) == "did you mean `python`?");
  CHECK(suggest("color", {"python", "torch"}) == "expected one of `python`, `torch`");
  CHECK(suggest("color", {"torch", "a", "torch"}) == "expected one of `torch`, `a`");
}

TEST_CASE("a shell parses the output of shell_quote to the original") {
  CHECK(shell_quote("a-b_c.d/e") == "a-b_c.d/e");
  CHECK(shell_quote("") == "''");
  CHECK(shell_quote("it's") == R"('it'\''s')");
  CHECK(shell_join({"echo", "a b", "$HOME"}) == "echo 'a b' '$HOME'");
  CHECK(shell_quote("a\n::add-mask::b") == "'a\n:'':add-mask:'':b'");
  CHECK(shell_quote("a ##[error]") == "'a ##''[error]'");
}

TEST_CASE("sizes and durations are parsed as people write them") {
  CHECK(parse_bytes("100 MB") == 100'000'000u);
  CHECK(parse_bytes("4 GiB") == 4ull << 30);
  CHECK(parse_bytes("512") == 512u);
  CHECK_FALSE(parse_bytes("4 cats").has_value());
  CHECK_FALSE(parse_bytes("-4 GiB").has_value());
  for (const char* wrong : {"inf", "nan", "1e3", "infinity GB", "99999999999999999999"}) {
    INFO(wrong);
    CHECK_FALSE(parse_bytes(wrong).has_value());
    CHECK_FALSE(parse_duration(std::string(wrong) + " s").has_value());
  }
  // Values that do not fit the returned type.
  CHECK(parse_bytes("8000000 TiB"));
  CHECK_FALSE(parse_bytes("9000000 TiB"));
  CHECK(parse_duration("36500d") == std::chrono::days(36500));
  CHECK_FALSE(parse_duration("36501d"));
  CHECK_FALSE(parse_duration("200000d"));
  CHECK_FALSE(parse_duration("9007199254740992d"));
  CHECK(parse_duration("3 h") == std::chrono::hours(3));
  CHECK(parse_duration("5s") == std::chrono::seconds(5));
  CHECK_FALSE(parse_duration("5").has_value());
  CHECK(format_bytes(612) == "612 B");
  CHECK(format_bytes(105'000'000) == "105 MB");
  CHECK(format_bytes(4300) == "4.3 KB");
  CHECK(format_duration(std::chrono::milliseconds(400)) == "0.4s");
  CHECK(format_duration(std::chrono::seconds(185)) == "3m05s");
}

TEST_CASE("a missing name has an empty value") {
  CHECK(value_at({{"A", "1"}}, "A") == "1");
  CHECK(value_at({{"A", "1"}}, "B").empty());
}

TEST_CASE("a count has its noun in the singular or the plural") {
  CHECK(plural(1, "library") == "1 library");
  CHECK(plural(3, "library") == "3 libraries");
  CHECK(plural(2, "day") == "2 days");
  CHECK(plural(0, "test") == "0 tests");
}
