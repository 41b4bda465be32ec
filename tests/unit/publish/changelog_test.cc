#include "publish/changelog.h"

#include "unit/catch.h"

using pinwheel::publish::changelog_section;

TEST_CASE("the section of a version ends at the next heading of its level") {
  const char* const text =
      "# Changelog\n\nAll of it.\n\n## [1.3.0] - 2026-11-02\n\n- New.\n\n### Fixed\n\n- A bug.\n\n"
      "## v1.2.0 (2026-10-01)\n\n- Old.\n";
  CHECK(changelog_section(text, "1.3.0") == "- New.\n\n### Fixed\n\n- A bug.");
  CHECK(changelog_section(text, "1.2.0") == "- Old.");
  CHECK(changelog_section(text, "1.2") == "- Old.");
  CHECK_FALSE(changelog_section(text, "1.3.0rc1"));
  CHECK_FALSE(changelog_section(text, "2026.11.2"));
  CHECK_FALSE(changelog_section(text, "not a version"));
  CHECK_FALSE(changelog_section("", "1.0"));
}

TEST_CASE("underlined headings are read, and lines of code are not") {
  const char* const text =
      "Changes\r\n=======\r\n\r\n1.1.0\r\n-----\r\nNew.\r\n```\r\n## 1.0.0\r\n```\r\n\r\n"
      "1.0.0rc1\r\n--------\r\nFirst.\r\n";
  CHECK(changelog_section(text, "1.1.0") == "New.\n```\n## 1.0.0\n```");
  CHECK(changelog_section(text, "1.0.0rc1") == "First.");
  CHECK_FALSE(changelog_section(text, "1.0.0"));
  CHECK(changelog_section("## 1.0.0\n\n\n## 0.9.0\n", "1.0.0") == "");
}
