#include "report/table.h"

#include "base/fit_text.h"
#include "base/text.h"
#include "unit/catch.h"

using namespace pinwheel;
using report::align_columns;

namespace {

const std::vector<std::vector<std::string>> kLongIds = {
    {"variant", "build", "status", "channels"},
    {"cp312-cu130-torch2.13-x86_64", "build:cp312-cu130-torch2.13-x86_64 *", "supported",
     "ci,nightly,release"},
    {"cp312-cpu", "build:cp312-cpu *", "supported", ""}};

}  // namespace

TEST_CASE("a table without a width, or within it, has a line for each row") {
  const std::string text =
      "variant                       build                                 status     channels\n"
      "cp312-cu130-torch2.13-x86_64  build:cp312-cu130-torch2.13-x86_64 *  supported  "
      "ci,nightly,release\n"
      "cp312-cpu                     build:cp312-cpu *                     supported\n";
  CHECK(align_columns(kLongIds) == text);
  CHECK(align_columns(kLongIds, 97) == text);
}

TEST_CASE("a wider table has its widest columns broken behind marks") {
  CHECK(align_columns(kLongIds, 80) ==
        "variant                  build                     status     channels\n"
        "cp312-cu130-torch2.13-   build:cp312-cu130-        supported  ci,nightly,release\n"
        "x86_64                   torch2.13-x86_64 *\n"
        "cp312-cpu                build:cp312-cpu *         supported\n");
}

TEST_CASE("a table of many columns is a block for each row") {
  const std::vector<std::vector<std::string>> rows = {
      {"step", "state", "first reason", "second reason", ""},
      {"build:cp312-cu130", "failed", "a compiler is missing", "the index does not answer", "last"},
      {"test:cp312-cu130", "", "", "", ""}};
  CHECK(align_columns(rows, 40) ==
        "build:cp312-cu130\n"
        "  state: failed\n"
        "  first reason: a compiler is missing\n"
        "  second reason: the index does not\n"
        "    answer\n"
        "  last\n"
        "test:cp312-cu130\n");
}

TEST_CASE("no line of a table is wider than asked") {
  for (size_t width = 20; width < 110; ++width) {
    INFO(width);
    for (const std::string& line : split(align_columns(kLongIds, width), '\n')) {
      CHECK(columns_of(line) <= width);
    }
  }
}

TEST_CASE("a table of rows has lines as long as their cells") {
  report::TableRows rows;
  CHECK(rows.aligned().empty());
  rows.begin_row();
  rows.add("step");
  rows.add("time");
  rows.begin_row();
  rows.add("build:\u00e9");
  rows.add("");
  rows.add("a\nb");
  rows.begin_row();
  CHECK(rows.aligned() == "step     time\nbuild:\u00e9        a\\nb\n\n");
}
