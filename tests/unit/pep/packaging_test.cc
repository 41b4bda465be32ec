// Python's `packaging` is the reference: tests/system/make_packaging_cases.py wrote what it says.
#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "pep/marker.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "pep/specifier.h"
#include "pep/version.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

namespace pinwheel::pep {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> rows(const std::string& kind) {
  std::ifstream in(in_source_tree("tests/data/packaging_cases.tsv"));
  REQUIRE(in.good());
  std::vector<Row> found;
  std::string line;
  while (std::getline(in, line)) {
    Row row = split(line, '\t');
    if (row[0] == kind) found.push_back(std::move(row));
  }
  REQUIRE(found.size() >= 50);
  return found;
}

std::vector<Version> versions(const std::string& text) {
  std::vector<Version> result;
  for (const std::string& word : split(text, ' ')) {
    if (!word.empty()) result.push_back(*parse_version(word));
  }
  return result;
}

std::string names(const std::vector<Version>& list) {
  std::vector<std::string> result;
  for (const Version& version : list) result.push_back(to_string(version));
  return join(result, " ");
}

TEST_CASE("versions are read and normalized as packaging does") {
  for (const Row& row : rows("version")) {
    const Result<Version> version = parse_version(replace_all(row[1], "\\t", "\t"));
    INFO(row[1]);
    CHECK((version ? to_string(*version) : "error") == row[2]);
  }
}

TEST_CASE("versions are ordered as packaging does") {
  for (const Row& row : rows("order")) {
    const std::weak_ordering order = *parse_version(row[1]) <=> *parse_version(row[2]);
    INFO(row[1] << " and " << row[2]);
    CHECK((order < 0 ? "<" : order == 0 ? "=" : ">") == row[3]);
  }
}

TEST_CASE("specifiers hold and choose candidates as packaging does") {
  for (const Row& row : rows("specifier")) {
    const Result<SpecifierSet> specifiers = parse_specifiers(row[1]);
    INFO(row[1]);
    REQUIRE(specifiers.has_value() == (row[2] != "error"));
    if (!specifiers) continue;
    std::string holds;
    for (const Version& version : versions(row[3])) {
      holds += satisfies(version, *specifiers) ? '1' : '0';
    }
    CHECK(holds == row[2]);
    CHECK(names(candidates(versions(row[3]), *specifiers)) == row[4]);
  }
}

TEST_CASE("requirements and markers are read as packaging does") {
  const MarkerEnvironment environment = {{"implementation_name", "cpython"},
                                         {"implementation_version", "3.12.4"},
                                         {"os_name", "posix"},
                                         {"platform_machine", "x86_64"},
                                         {"platform_release", "6.1.0-18-amd64"},
                                         {"platform_system", "Linux"},
                                         {"platform_version", "#1 SMP"},
                                         {"python_full_version", "3.12.4"},
                                         {"python_version", "3.12"},
                                         {"platform_python_implementation", "CPython"},
                                         {"sys_platform", "linux"},
                                         {"extra", "gpu-kernels"}};
  for (const Row& row : rows("requirement")) {
    const Result<Requirement> requirement = parse_requirement(row[1]);
    INFO(row[1]);
    REQUIRE(requirement.has_value() == (row[2] != "error"));
    if (!requirement) continue;
    CHECK(normalize_name(requirement->name) == row[2]);
    std::vector<std::string> extras;
    for (const std::string& extra : requirement->extras) extras.push_back(normalize_name(extra));
    std::sort(extras.begin(), extras.end());
    CHECK(join(extras, ",") == row[3]);
    std::vector<std::string> clauses = split(to_string(requirement->specifiers), ',');
    std::sort(clauses.begin(), clauses.end());
    CHECK((requirement->url.empty() ? join(clauses, ",") : requirement->url) == row[4]);
    std::string holds;
    if (!requirement->marker.empty()) {
      holds = *evaluate_marker(requirement->marker, environment) ? "1" : "0";
    }
    CHECK(holds == row[5]);
  }
}

}  // namespace
}  // namespace pinwheel::pep
