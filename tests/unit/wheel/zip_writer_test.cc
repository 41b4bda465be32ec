#include "wheel/zip_writer.h"

#include "base/bytes.h"
#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"
#include "unit/wheel/python.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {
namespace {

TEST_CASE("times are those of DOS, between 1980 and 2107") {
  const uint32_t first = (0U << 25U | 1U << 21U | 1U << 16U);
  CHECK(dos_time(0) == first);
  CHECK(dos_time(315532800) == first);
  // 2023-11-14 22:13:20
  CHECK(dos_time(1700000000) ==
        (43U << 25U | 11U << 21U | 14U << 16U | 22U << 11U | 13U << 5U | 10U));
  CHECK(dos_time(1700000001) == dos_time(1700000000));
  CHECK(dos_time(INT64_MAX) ==
        (127U << 25U | 12U << 21U | 31U << 16U | 23U << 11U | 59U << 5U | 29U));
}

TEST_CASE("the bytes depend only on the calls") {
  const Contents members = {{"a", std::string(5000, 'a')}, {"b/c", ""}};
  CHECK(make_zip(members) == make_zip(members));
  CHECK(make_zip(members) != make_zip(members, 1800000000));
}

TEST_CASE("Python's zipfile reads the written archive") {
  std::string bytes;
  ZipWriter writer(
      [&](std::string_view part) -> Done {
        bytes += part;
        return {};
      },
      1700000000);
  REQUIRE(writer.add("a.py", std::string(5000, 'a')));
  REQUIRE(writer.add("bin/run", "#!", 0755));
  REQUIRE(writer.add("na\xc3\xafve", ""));
  REQUIRE(writer.finish());
  const ScratchDirectory scratch;
  const std::string seen = python(
      "import sys, zipfile\n"
      "z = zipfile.ZipFile(sys.argv[1])\n"
      "print(z.testzip())\n"
      "for i in z.infolist():\n"
      "  print(i.filename.encode(), i.date_time, oct(i.external_attr >> 16), i.compress_type,"
      " i.file_size, i.flag_bits, i.create_system)\n",
      scratch.write("x.zip", bytes));
  CHECK(seen ==
        "None\n"
        "b'a.py' (2023, 11, 14, 22, 13, 20) 0o100644 8 5000 0 3\n"
        "b'bin/run' (2023, 11, 14, 22, 13, 20) 0o100755 0 2 0 3\n"
        "b'na\\xc3\\xafve' (2023, 11, 14, 22, 13, 20) 0o100644 0 0 2048 3\n");
}

TEST_CASE("more members than 16 bits count are read back, by Python too") {
  constexpr size_t kCount = 65540;
  Contents members;
  for (size_t i = 0; i < kCount; ++i) members.emplace_back("m" + std::to_string(i), "");
  const std::string bytes = make_zip(members);
  const ports::MemorySource source(bytes);
  const auto zip = ZipReader::open(source);
  REQUIRE(zip);
  REQUIRE(zip->members().size() == kCount);
  CHECK(zip->members().back().name == "m65539");
  const ScratchDirectory scratch;
  CHECK(python("import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).infolist()))",
               scratch.write("x.zip", bytes)) == "65540\n");
}

TEST_CASE("member counts that do not fit 16 bits use the ZIP64 record") {
  for (const size_t count : {size_t{65534}, size_t{65535}}) {
    Contents members;
    for (size_t i = 0; i < count; ++i) members.emplace_back(std::to_string(i), "");
    const std::string bytes = make_zip(members);
    const bool wide = bytes.find("PK\x06\x06") != std::string::npos;
    CHECK(wide == (count == 65535));
    const ports::MemorySource source(bytes);
    const auto zip = ZipReader::open(source);
    REQUIRE(zip);
    CHECK(zip->members().size() == count);
  }
}

TEST_CASE("names that do not fit the format are rejected") {
  ZipWriter writer([](std::string_view) -> Done { return {}; }, 0);
  CHECK_FALSE(writer.add("", "x"));
  CHECK_FALSE(writer.add(std::string(65536, 'n'), "x"));
  CHECK(writer.add(std::string(65535, 'n'), "x"));
}

TEST_CASE("an error of the output is returned") {
  ZipWriter writer([](std::string_view) { return Done(fail(ErrorKind::environment, "disk full")); },
                   0);
  const Done added = writer.add("a", "x");
  REQUIRE_FALSE(added);
  CHECK(added.error().message == "disk full");
}

}  // namespace
}  // namespace pinwheel::wheel
