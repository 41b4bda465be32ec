#include "binary/dynamic_landmark.h"

#include <algorithm>

#include "base/text.h"
#include "unit/binary/compiled_library.h"
#include "unit/catch.h"
#include "unit/command_output.h"

namespace pinwheel::binary {
namespace {

using Where = ChunkPosition::Where;

constexpr int kLocalFunctions = 8000;

struct Part {
  uint64_t from = 0;
  uint64_t to = 0;
};

std::string many_functions() {
  std::string source = "int exported(void) { return 1; }\n";
  for (int i = 0; i < kLocalFunctions; ++i) {
    const std::string number = std::to_string(i);
    source += "__attribute__((used)) static int _ZN5local4name" + number + "Ev(void) { return " +
              number + "; }\n";
  }
  return source;
}

/// A library that keeps the names of many functions which it does not export, and what readelf says
/// of its sections.
class Library {
 public:
  Library() {
    const CompiledLibrary library(many_functions(), "-lm");
    sections_ = output_of("readelf -SW " + library.file().string());
    bytes = library.bytes();
  }

  Part section(const std::string& name) const {
    for (const std::string& line : split(sections_, '\n')) {
      std::vector<std::string> words =
          split(line.substr(std::min(line.find(']'), line.size())), ' ');
      std::erase(words, "");
      if (words.size() < 6 || words[1] != name) continue;
      const uint64_t offset = std::stoull(words[4], nullptr, 16);
      return {offset, offset + std::stoull(words[5], nullptr, 16)};
    }
    FAIL("no section " << name);
    return {};
  }
  std::string_view part(uint64_t from, uint64_t to) const {
    return std::string_view(bytes).substr(from, to - from);
  }

  std::string bytes;

 private:
  std::string sections_;
};

TEST_CASE("a chunk of a library is located relative to the dynamic section") {
  const Library library;
  const auto mark = DynamicLandmark::of(ports::MemorySource(library.bytes));
  REQUIRE(mark);
  const Part dynamic = library.section(".dynamic");
  CHECK(mark->offset() == dynamic.from);
  CHECK(mark->size() == dynamic.to - dynamic.from);

  for (const uint64_t before : {0, 1, 8, 16, 1000}) {
    INFO("from " << before << " bytes in front of it");
    const auto seen = mark->locate(library.part(dynamic.from - before, dynamic.to));
    CHECK(seen.where == Where::contains);
    CHECK(seen.at == before);
    // Nothing is found in a part of it.
    CHECK(mark->locate(library.part(dynamic.from - before, dynamic.to - 1)).where == Where::before);
  }
  CHECK(mark->locate(library.part(dynamic.from + 16, dynamic.to)).where == Where::before);

  const Part text = library.section(".text");
  CHECK(mark->locate(library.part(text.from, text.to)).where == Where::before);
  CHECK(mark->locate("").where == Where::before);
  const Part symbols = library.section(".symtab");
  CHECK(mark->locate(library.part(symbols.to - 70001, symbols.to - 5)).where == Where::after);
  const Part names = library.section(".strtab");
  CHECK(mark->locate(library.part(names.from + 100, names.to)).where == Where::after);
}

TEST_CASE("names with unknown bytes are still names, and unknown bytes alone are not") {
  const Library library;
  const auto mark = DynamicLandmark::of(ports::MemorySource(library.bytes));
  REQUIRE(mark);
  const Part names = library.section(".strtab");
  std::string gappy(library.part(names.from, names.to));
  for (uint64_t at = 0; at + 16 < gappy.size(); at += 20) gappy.replace(at, 14, 14, '\0');
  CHECK(mark->locate(gappy).where == Where::after);
  CHECK(mark->locate(std::string(100000, '\0')).where == Where::before);
}

TEST_CASE("a file without a dynamic section has no landmark") {
  CHECK(DynamicLandmark::of(ports::MemorySource(std::string(100, 'x'))).error().kind ==
        ErrorKind::check);
  std::string header = Library().bytes.substr(0, 64);
  header[56] = '\0';  // no program headers
  const auto none = DynamicLandmark::of(ports::MemorySource(header));
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "the ELF file is corrupt: it has no dynamic section");
}

}  // namespace
}  // namespace pinwheel::binary
