#include "wheel/record.h"

#include "base/limits.h"
#include "unit/catch.h"
#include "unit/wheel/python.h"

namespace pinwheel::wheel {
namespace {

const std::string kPath = "x-1.dist-info/RECORD";
const std::vector<RecordRow> kRows = {
    {"a,\"b\".py", "sha256", "AAA", 3}, {"line\nend", "sha256", "BBB", 0}, {kPath}};
const std::vector<MemberDigest> kMembers = {
    {"a,\"b\".py", "AAA", 3}, {"line\nend", "BBB", 0}, {kPath, "CCC", 9}};

TEST_CASE("RECORD is written with quotes where needed and read back") {
  const std::string text = to_string(kRows);
  CHECK(text == "\"a,\"\"b\"\".py\",sha256=AAA,3\n\"line\nend\",sha256=BBB,0\n" + kPath + ",,\n");
  CHECK(parse_record(text) == kRows);
  CHECK(parse_record("a,,\r\nb,sha256=x,1\r\n")->size() == 2);
  CHECK(parse_record("")->empty());
  const std::vector<RecordRow> odd = {{"a", "sha\"256", "A,B", 1}};
  CHECK(parse_record(to_string(odd)) == odd);
}

TEST_CASE("Python's csv module reads RECORD to the same rows") {
  const std::string seen = python(
      "import csv, io, sys\n"
      "print(list(csv.reader(io.StringIO(sys.argv[1], newline=''))))",
      to_string(kRows));
  CHECK(seen == "[['a,\"b\".py', 'sha256=AAA', '3'], ['line\\nend', 'sha256=BBB', '0'], ['" +
                    kPath + "', '', '']]\n");
}

TEST_CASE("a malformed line of RECORD is an error that names the line") {
  for (const std::string line :
       {"only", "a,b", "a,b,c,d", ",sha256=x,1", "a,sha256,1", "a,=x,1", "a,sha256=x,-1",
        "a,sha256=x,1x", "a,sha256=x,99999999999999999999"}) {
    INFO(line);
    const auto rows = parse_record("first,,\n" + line + "\n");
    REQUIRE_FALSE(rows);
    CHECK(rows.error().kind == ErrorKind::check);
    CHECK(rows.error().message.find("line 2") != std::string::npos);
  }
}

TEST_CASE("RECORD that ends inside quotes is rejected") {
  const auto rows = parse_record("first,,\n\"open,,\n");
  REQUIRE_FALSE(rows);
  CHECK(rows.error().kind == ErrorKind::check);
}

TEST_CASE("a RECORD that lists every member correctly has no faults") {
  CHECK(record_faults(kRows, kMembers, kPath).empty());
}

TEST_CASE("every mismatch between RECORD and the members is a fault with its path") {
  const auto fault_at = [](std::vector<RecordRow> rows, std::vector<MemberDigest> members) {
    const std::vector<RecordFault> faults = record_faults(rows, members, kPath);
    REQUIRE(faults.size() == 1);
    CHECK_FALSE(faults.front().message.empty());
    return faults.front().path;
  };
  std::vector<RecordRow> rows = {{"a", "sha256", "AAA", 1}, {kPath}};
  const std::vector<MemberDigest> members = {{"a", "AAA", 1}, {kPath, "CCC", 9}};
  REQUIRE(record_faults(rows, members, kPath).empty());
  CHECK(fault_at(rows, {members[0], members[1], {"new", "DDD", 1}}) == "new");
  CHECK(fault_at({rows[0], {"gone", "sha256", "AAA", 1}, rows[1]}, members) == "gone");
  CHECK(fault_at({rows[0], rows[0], rows[1]}, members) == "a");
  CHECK(fault_at({{"a", "sha256", "BBB", 1}, rows[1]}, members) == "a");
  CHECK(fault_at({{"a", "sha256", "AAA", 2}, rows[1]}, members) == "a");
  CHECK(fault_at({{"a", "md5", "AAA", 1}, rows[1]}, members) == "a");
  CHECK(fault_at({{"a"}, rows[1]}, members) == "a");
  CHECK(fault_at({rows[0]}, members) == kPath);
  // Of a member that was not read, only the size is compared.
  CHECK(record_faults(rows, {{"a", "", 1}, members[1]}, kPath).empty());
  CHECK(fault_at(rows, {{"a", "", 2}, members[1]}) == "a");
}

TEST_CASE("a RECORD may have longer digests of SHA-2, which are compared too") {
  const auto message_of = [](const RecordRow& row, const MemberDigest& member) {
    const std::vector<RecordFault> faults =
        record_faults({row, {kPath}}, {member, {kPath, "CCC", 9}}, kPath);
    return faults.empty() ? std::string() : faults.front().message;
  };
  const MemberDigest member{"a", "AAA", 1, "LLL"};
  CHECK(message_of({"a", "sha384", "LLL", 1}, member).empty());
  CHECK(message_of({"a", "sha512", "LLL", 1}, member).empty());
  CHECK(message_of({"a", "sha512", "AAA", 1}, member) == "does not match its sha512 in RECORD");
  CHECK(message_of({"a", "sha512", "LLL", 1}, {"a", "AAA", 1}) ==
        "does not match its sha512 in RECORD");
  CHECK(message_of({"a", "sha1", "LLL", 1}, member) ==
        "has a digest by `sha1`, not by sha256, sha384 or sha512");
}

TEST_CASE("a RECORD of too many lines, bytes or fields is refused before it is held") {
  std::string lines;
  for (uint64_t i = 0; i < limits::kRecordLines.most; ++i) lines += "a,,\n";
  CHECK(parse_record(lines)->size() == limits::kRecordLines.most);
  const auto refused = parse_record(lines + "a,,\n");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "RECORD has more than 200000 lines, the limit for a RECORD");
  const auto large = parse_record(std::string(limits::kRecord.most + 1, 'a'));
  REQUIRE_FALSE(large);
  CHECK(large.error().message == "RECORD is larger than the limit of 40 MB for a RECORD");
  const auto wide = parse_record("a" + std::string(1000, ',') + "\n");
  REQUIRE_FALSE(wide);
  CHECK(wide.error().message == "RECORD line 1 has more than 3 fields");
}

TEST_CASE("an installation has the files of its wheel, which installers move and add to") {
  constexpr const char* kInfo = "demo-1.0.dist-info";
  const std::vector<RecordRow> wheel = {{"demo.py", "sha256", "AAA", 3},
                                        {"demo-1.0.data/scripts/run", "sha256", "BBB", 3},
                                        {"demo-1.0.dist-info/WHEEL", "sha256", "CCC", 3},
                                        {"demo-1.0.dist-info/RECORD"}};
  std::vector<RecordRow> installed = {{"demo.py", "sha256", "AAA", 3},
                                      {"../../../bin/run", "sha256", "DDD", 9},
                                      {"__pycache__/demo.cpython-311.pyc"},
                                      {"demo-1.0.dist-info/WHEEL", "sha256", "CCC", 3},
                                      {"demo-1.0.dist-info/INSTALLER", "sha256", "EEE", 3},
                                      {"demo-1.0.dist-info/RECORD"}};
  CHECK(not_installed(wheel, installed, kInfo).empty());
  installed[3].digest = "other";
  CHECK(not_installed(wheel, installed, kInfo) ==
        std::vector<std::string>{"demo-1.0.dist-info/WHEEL"});
  installed.erase(installed.begin());
  CHECK(not_installed(wheel, installed, kInfo).size() == 2);
}

}  // namespace
}  // namespace pinwheel::wheel
