#include "report/documentation.h"

#include "unit/catch.h"

using namespace pinwheel;
using report::fit_markdown;

TEST_CASE("prose and tables fit the terminal, code stays as it is") {
  const std::string page =
      "## `axes`\n"
      "\n"
      "Each combination of values is a variant.\n"
      "- a point that is longer than a line\n"
      "```yaml\n"
      "axes: {python: [\"3.11\", \"3.12\", \"3.13\"]}\n"
      "```\n"
      "| key | meaning |\n"
      "|---|---|\n"
      "| `a` | `x\\|y`, or another value of it |\n"
      "    pinwheel plan matrix/a-long-name.yaml\n";
  CHECK(fit_markdown(page, 0) == page);
  CHECK(fit_markdown(page, 24) ==
        "## `axes`\n"
        "\n"
        "Each combination of\n"
        "values is a variant.\n"
        "- a point that is\n"
        "  longer than a line\n"
        "```yaml\n"
        "axes: {python: [\"3.11\", \"3.12\", \"3.13\"]}\n"
        "```\n"
        "key  meaning\n"
        "`a`  `x|y`, or another\n"
        "     value of it\n"
        "    pinwheel plan matrix/a-long-name.yaml\n");
  CHECK(fit_markdown("| a |\n", 24) == "a\n");
  CHECK(fit_markdown("", 24).empty());
}
