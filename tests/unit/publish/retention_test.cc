#include "publish/retention.h"

#include <fmt/format.h>

#include "publish/index_file.h"
#include "unit/catch.h"

using namespace pinwheel;
using publish::Addition;
using publish::Catalog;

namespace {

std::string wheel_of(const std::string& version, const std::string& project = "demo_ops") {
  return fmt::format("{}-{}-py3-none-any.whl", project, version);
}

void list(Catalog& catalog, const std::string& place, const std::string& filename,
          const std::string& project = "demo-ops") {
  catalog.places[place][project][filename] = {place + "/" + project + "/" + filename, "00"};
}

/// The names that a place lists.
std::vector<std::string> listed(const Catalog& catalog, const std::string& place,
                                const std::string& project = "demo-ops") {
  std::vector<std::string> names;
  for (const auto& [name, file] : catalog.places.at(place).at(project)) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("the version of a file is that of its name") {
  CHECK(pep::to_string(*publish::version_of_file(wheel_of("1.0.dev3+cu130"))) == "1.0.dev3+cu130");
  CHECK(pep::to_string(*publish::version_of_file("demo_ops-1.0.tar.gz")) == "1.0");
  CHECK_FALSE(publish::version_of_file("SHA256SUMS"));
}

TEST_CASE("the newest nightlies stay, by their versions and not by their names") {
  Catalog catalog;
  for (const char* version : {"1.2.dev9", "1.2.dev10", "1.10.dev1", "1.9.dev300"}) {
    list(catalog, "", wheel_of(version));
  }
  const publish::Retention retention = publish::keep_nightlies(catalog, 2, {});
  CHECK(listed(retention.catalog, "") ==
        std::vector<std::string>{wheel_of("1.10.dev1"), wheel_of("1.9.dev300")});
  CHECK(retention.retired == std::vector<std::string>{wheel_of("1.2.dev10"), wheel_of("1.2.dev9")});
}

TEST_CASE("nothing that was tagged is ever retired") {
  Catalog catalog;
  const std::vector<std::string> tagged = {wheel_of("0.1"), wheel_of("0.1.post1"),
                                           wheel_of("1.0a1"), wheel_of("1.0rc2+cpu"),
                                           "demo_ops-0.1.tar.gz"};
  for (const std::string& name : tagged) list(catalog, "", name);
  list(catalog, "", wheel_of("0.1.dev1"));
  list(catalog, "", "demo_ops-0.1.dev1.tar.gz");
  list(catalog, "", "notes.txt");
  const publish::Retention retention = publish::keep_nightlies(catalog, 0, {});
  CHECK(retention.retired ==
        std::vector<std::string>{wheel_of("0.1.dev1"), "demo_ops-0.1.dev1.tar.gz"});
  CHECK(listed(retention.catalog, "").size() == tagged.size() + 1);
}

TEST_CASE("a night counts once, in all of its sub-indexes") {
  Catalog catalog;
  for (const char* night : {"1", "2", "3"}) {
    for (const char* label : {"cpu", "cu130"}) {
      const std::string name = wheel_of(fmt::format("1.0.dev{}+{}", night, label));
      list(catalog, label, name);
      if (label == std::string("cpu")) list(catalog, "", name);
    }
  }
  const publish::Retention retention = publish::keep_nightlies(catalog, 2, {});
  CHECK(retention.retired ==
        std::vector<std::string>{wheel_of("1.0.dev1+cpu"), wheel_of("1.0.dev1+cu130")});
  for (const char* place : {"", "cpu", "cu130"})
    CHECK(listed(retention.catalog, place).size() == 2);
}

TEST_CASE("each project is counted by itself, and one without a file stays listed") {
  Catalog catalog;
  for (const char* night : {"1", "2", "3"}) {
    list(catalog, "", wheel_of(fmt::format("1.0.dev{}", night)));
    list(catalog, "", wheel_of(fmt::format("2.0.dev{}", night), "other"), "other");
  }
  const publish::Retention none = publish::keep_nightlies(catalog, 0, {});
  CHECK(none.retired.size() == 6);
  CHECK(listed(none.catalog, "").empty());
  const publish::Retention one = publish::keep_nightlies(catalog, 1, {});
  CHECK(listed(one.catalog, "", "other") ==
        std::vector<std::string>{wheel_of("2.0.dev3", "other")});
}

TEST_CASE("what is published now stays, however old") {
  Catalog catalog;
  for (const char* night : {"1", "2", "3"})
    list(catalog, "", wheel_of(fmt::format("1.0.dev{}", night)));
  const std::vector<Addition> published = {
      {.filename = wheel_of("1.0.dev1"), .project = "demo-ops", .file = {}}};
  const publish::Retention retention = publish::keep_nightlies(catalog, 1, published);
  CHECK(listed(retention.catalog, "") ==
        std::vector<std::string>{wheel_of("1.0.dev1"), wheel_of("1.0.dev3")});
}

TEST_CASE("fewer nightlies than are kept change nothing") {
  Catalog catalog;
  list(catalog, "", wheel_of("1.0.dev1"));
  const publish::Retention retention = publish::keep_nightlies(catalog, 14, {});
  CHECK(retention.catalog == catalog);
  CHECK(retention.retired.empty());
}
