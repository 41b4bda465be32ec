#include "inspect/rules.h"

#include <set>

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

TEST_CASE("a valid wheel follows every rule") {
  CHECK(finding_texts(pure_facts()).empty());
  CHECK(finding_texts(native_facts()).empty());
}

TEST_CASE("rules have ids and descriptions of their own") {
  std::set<std::string> seen;
  for (const Rule& rule : all_rules()) {
    CHECK(seen.emplace(rule.id).second);
    CHECK_FALSE(rule.description.empty());
  }
  CHECK(seen.size() == rule_ids().size());
}

TEST_CASE("an unknown rule is a configuration error that names the nearest") {
  const Result<std::vector<Finding>> found = check(pure_facts(), {}, {"platform-tags"});
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::config);
  CHECK(found.error().message == "unknown rule `platform-tags`");
  CHECK(found.error().hint == "did you mean `platform-tag`?");
  CHECK_FALSE(chosen_rules({{}, {"sizes"}}));
  CHECK_FALSE(chosen_rules({{"sizes"}, {}}));
}

TEST_CASE("only the selected rules are checked") {
  WheelFacts facts = pure_facts();
  facts.file_size = uint64_t{1} << 40U;
  facts.record.reset();
  facts.unreadable = {{"record", "demo_kit-1.0.dist-info/RECORD", "is missing from the wheel"}};
  CHECK(finding_texts(facts).size() == 2);
  CHECK(findings_of(facts, {}, {}).empty());
  const std::vector<Finding> size = findings_of(facts, {}, {"size"});
  REQUIRE(size.size() == 1);
  CHECK(size[0].rule == "size");
  const Result<std::vector<std::string>> rest = chosen_rules({{}, {"size"}});
  REQUIRE(rest);
  CHECK(rest->size() == rule_ids().size() - 1);
  CHECK(*chosen_rules({{"size", "rpath"}, {"size"}}) == Texts{"rpath"});
  const std::vector<Finding> record = findings_of(facts, {}, *rest);
  REQUIRE(record.size() == 1);
  CHECK(to_error(record[0]).message ==
        "[record] `demo_kit-1.0.dist-info/RECORD`: is missing from the wheel");
}

TEST_CASE("warnings of strict rules fail") {
  const std::vector<Finding> findings = {{"size", "x.whl", "is large"},
                                         {"relro", "x.so", "has none", "", "", Severity::warning}};
  CHECK(failures(findings) == std::vector<Finding>{findings[0]});
  CHECK(failures(findings, {"relro"}) == findings);
}

TEST_CASE("findings of one rule and message are one line with every file") {
  const std::vector<Finding> findings = {
      {"relro", "a.so", "has none", "PT_GNU_RELRO", "link with it"},
      {"size", "x.whl", "is large"},
      {"relro", "b.so", "has none", "no segment", "link with it"},
      {"relro", "a.so", "has none", "PT_GNU_RELRO", "link with it"},
      {"relro", "c.so", "has some", "", "link with it"}};
  CHECK(to_lines(findings) ==
        Texts{"[relro] `a.so`, `b.so`: has none (PT_GNU_RELRO; no segment); link with it",
              "[size] `x.whl`: is large", "[relro] `c.so`: has some; link with it"});
}

TEST_CASE("an expected architecture that does not exist is a configuration error") {
  Expectations expected;
  expected.arch_list = {"Hopper"};
  const Result<std::vector<Finding>> found = check(pure_facts(), expected, {"record"});
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::config);
}

}  // namespace
}  // namespace pinwheel::inspect
