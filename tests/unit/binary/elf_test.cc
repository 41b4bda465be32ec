#include "binary/elf.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>

#include "base/text.h"
#include "unit/catch.h"
#include "unit/command_output.h"

namespace pinwheel::binary {
namespace {

std::string own_bytes() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The running test and the libraries it is linked with are real ELF files on every machine.
std::vector<std::string> mapped_libraries() {
  std::set<std::string> paths;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t slash = line.find('/');
    if (slash != std::string::npos && line.find(".so") != std::string::npos) {
      paths.insert(line.substr(slash));
    }
  }
  REQUIRE(paths.size() >= 3);
  return {paths.begin(), paths.end()};
}

TEST_CASE("needed libraries, versions and symbols are those that readelf prints") {
  for (const std::string& path : mapped_libraries()) {
    INFO(path);
    std::ifstream in(path, std::ios::binary);
    const ports::MemorySource source(std::string(std::istreambuf_iterator<char>(in), {}));
    const Result<Elf> elf = read_elf(source);
    REQUIRE(elf);
    const std::string dynamic = output_of("LC_ALL=C readelf -dW " + shell_quote(path));
    std::vector<std::string> needed;
    std::istringstream lines(dynamic);
    for (std::string line; std::getline(lines, line);) {
      const size_t open = line.find("Shared library: [");
      if (open != std::string::npos) {
        needed.push_back(line.substr(open + 17, line.find(']', open) - open - 17));
      }
    }
    CHECK(elf->needed == needed);
    const std::string symbols = output_of("LC_ALL=C readelf --dyn-syms -W " + shell_quote(path));
    size_t undefined = 0;
    size_t defined = 0;
    std::istringstream rows(symbols);
    for (std::string line; std::getline(rows, line);) {
      std::istringstream words(line);
      std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
      if (fields.size() < 8 || fields[0].back() != ':' || fields[0] == "Num:") continue;
      ++(fields[6] == "UND" ? undefined : defined);
    }
    CHECK(elf->undefined.size() == undefined);
    CHECK(elf->defined.size() == defined);
    const std::string needs = output_of("LC_ALL=C readelf -VW " + shell_quote(path));
    for (const VersionNeed& need : elf->version_needs) {
      CHECK(needs.find("File: " + need.library) != std::string::npos);
      for (const std::string& version : need.versions) {
        CHECK(needs.find("Name: " + version + "  ") != std::string::npos);
      }
    }
  }
}

TEST_CASE("the symbols are the same when the section table is gone") {
  std::string bytes = own_bytes();
  const Result<Elf> whole = read_elf(ports::MemorySource(bytes));
  REQUIRE(whole);
  std::fill_n(bytes.begin() + 40, 8, '\0');
  std::fill_n(bytes.begin() + 58, 6, '\0');
  const Result<Elf> stripped = read_elf(ports::MemorySource(bytes));
  REQUIRE(stripped);
  CHECK(stripped->sections.empty());
  CHECK(stripped->undefined == whole->undefined);
  CHECK(stripped->version_needs == whole->version_needs);
  CHECK_FALSE(whole->undefined.empty());
}

TEST_CASE("files that are not ELF files are rejected") {
  CHECK_FALSE(read_elf(ports::MemorySource("")));
  CHECK_FALSE(read_elf(ports::MemorySource(std::string(64, 'x'))));
  CHECK_FALSE(read_elf(ports::MemorySource(own_bytes().substr(0, 200))));
}

}  // namespace
}  // namespace pinwheel::binary
