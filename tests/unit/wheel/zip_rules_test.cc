#include "wheel/zip_rules.h"

#include <algorithm>

#include "base/bytes.h"
#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"
#include "wheel/deflate.h"
#include "wheel/zip_format.h"

namespace pinwheel::wheel {
namespace {

/// A member written by hand, possibly with faults.
struct Raw {
  std::string name = "a.py";
  std::string data = "x = 1\n";
  uint16_t local_flags = 0;
  uint16_t central_flags = 0;
  uint16_t local_method = 0;
  uint16_t central_method = 0;
  std::string local_name = {};  ///< empty: `name`
  uint32_t local_crc_change = 0;
  uint32_t local_size_change = 0;
  std::string local_extra = {};
  std::string central_extra = {};
  std::string comment = {};
  std::string before = {};    ///< bytes before the local header
  std::string after = {};     ///< bytes after the data
  uint32_t central_size = 0;  ///< 0: the data's size
};

void append_sizes(std::string& out, const Raw& raw, uint32_t change, uint32_t crc_change,
                  uint32_t size) {
  append_le<uint32_t>(out, crc32(raw.data) + crc_change);
  append_le<uint32_t>(out, static_cast<uint32_t>(raw.data.size()) + change);
  append_le<uint32_t>(out, size + change);
}

std::string local_header(const Raw& raw) {
  const std::string& name = raw.local_name.empty() ? raw.name : raw.local_name;
  std::string out;
  append_le<uint32_t>(out, zip::kLocalHeader);
  append_le<uint16_t>(out, 20);
  append_le<uint16_t>(out, raw.local_flags);
  append_le<uint16_t>(out, raw.local_method);
  append_le<uint32_t>(out, 0);
  append_sizes(out, raw, raw.local_size_change, raw.local_crc_change,
               static_cast<uint32_t>(raw.data.size()));
  append_le<uint16_t>(out, static_cast<uint16_t>(name.size()));
  append_le<uint16_t>(out, static_cast<uint16_t>(raw.local_extra.size()));
  return out + name + raw.local_extra;
}

std::string central_header(const Raw& raw, uint32_t offset) {
  std::string out;
  append_le<uint32_t>(out, zip::kCentralHeader);
  append_le<uint16_t>(out, 20);
  append_le<uint16_t>(out, 20);
  append_le<uint16_t>(out, raw.central_flags);
  append_le<uint16_t>(out, raw.central_method);
  append_le<uint32_t>(out, 0);
  append_sizes(out, raw, 0, 0,
               raw.central_size != 0 ? raw.central_size : static_cast<uint32_t>(raw.data.size()));
  append_le<uint16_t>(out, static_cast<uint16_t>(raw.name.size()));
  append_le<uint16_t>(out, static_cast<uint16_t>(raw.central_extra.size()));
  append_le<uint16_t>(out, static_cast<uint16_t>(raw.comment.size()));
  append_le<uint64_t>(out, 0);  // disk, attributes
  append_le<uint32_t>(out, offset);
  return out + raw.name + raw.central_extra + raw.comment;
}

std::string archive(const std::vector<Raw>& members, const std::string& tail = {}) {
  std::string out;
  std::string directory;
  for (const Raw& raw : members) {
    out += raw.before;
    directory += central_header(raw, static_cast<uint32_t>(out.size()));
    out += local_header(raw) + raw.data + raw.after;
  }
  const auto offset = static_cast<uint32_t>(out.size());
  out += directory;
  append_le<uint32_t>(out, zip::kEnd);
  append_le<uint32_t>(out, 0);
  append_le<uint16_t>(out, static_cast<uint16_t>(members.size()));
  append_le<uint16_t>(out, static_cast<uint16_t>(members.size()));
  append_le<uint32_t>(out, static_cast<uint32_t>(directory.size()));
  append_le<uint32_t>(out, offset);
  append_le<uint16_t>(out, 0);
  return out + tail;
}

std::vector<std::string> faults_of(const std::string& bytes) {
  const ports::MemorySource source(bytes);
  std::vector<std::string> out;
  for (const ZipFault& fault : zip_faults(source)) out.push_back(fault.message);
  return out;
}

std::vector<std::string> faults_of(const Raw& raw) {
  return faults_of(archive({raw}));
}

using Texts = std::vector<std::string>;

/// An extra field with that many zero bytes.
std::string extra(uint16_t id, uint16_t length) {
  std::string out;
  append_le<uint16_t>(out, id);
  append_le<uint16_t>(out, length);
  return out + std::string(length, '\0');
}

TEST_CASE("a plain archive, and the writer's output, follow every rule") {
  CHECK(faults_of(Raw{}).empty());
  CHECK(faults_of(archive({Raw{}, Raw{"b/", ""}, Raw{"b/c.py"}})).empty());
  CHECK(faults_of(built_wheel()).empty());
  CHECK(faults_of(archive({})).empty());
}

TEST_CASE("a name in UTF-8 has the flag for it") {
  Raw raw;
  raw.name = "d\xc3\xa9j\xc3\xa0.txt";
  CHECK(faults_of(raw) == Texts{"member `d\xc3\xa9j\xc3\xa0.txt` has a name in UTF-8 without the "
                                "flag for it (bit 11), so "
                                "that installers and PyPI read another name"});
  raw.local_flags = raw.central_flags = zip::kFlagUtf8;
  CHECK(faults_of(raw).empty());
}

TEST_CASE("a streamed member has a data descriptor") {
  Raw raw;
  raw.local_flags = raw.central_flags = zip::kFlagDataDescriptor;
  raw.local_crc_change = 1;
  raw.after = std::string(16, 'd');
  CHECK(faults_of(raw) ==
        Texts{"member `a.py` has a data descriptor, as written by streaming tools"});
}

TEST_CASE("local headers of members that are not there are not judged") {
  Raw first;
  first.local_crc_change = 1;
  Raw second{.name = "b.py"};
  second.comment = "x";
  const ports::MemorySource source(archive({first, second}));
  const auto is_second = [](const ZipMember& member) { return member.name == "b.py"; };
  const std::vector<ZipFault> faults = zip_faults(source, is_second);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].member == "b.py");
  CHECK(zip_faults(source).size() == 2);
}

TEST_CASE("a local header may not disagree with the central directory") {
  Raw raw;
  SECTION("name") {
    raw.local_name = "b.py";
    CHECK(faults_of(raw) == Texts{"member `a.py` has the name `b.py` in its local header"});
  }
  SECTION("flags") {
    raw.local_flags = zip::kFlagUtf8;
    CHECK(faults_of(raw) == Texts{"member `a.py` has different flags in its local header"});
  }
  SECTION("method") {
    raw.local_method = zip::kDeflated;
    CHECK(faults_of(raw) ==
          Texts{"member `a.py` has a different compression method in its local header"});
  }
  SECTION("size") {
    raw.local_size_change = 3;
    CHECK(faults_of(raw) == Texts{"member `a.py` has a different size in its local header"});
  }
  SECTION("checksum") {
    raw.local_crc_change = 1;
    CHECK(faults_of(raw) == Texts{"member `a.py` has a different checksum in its local header"});
  }
}

TEST_CASE("a name occurs once") {
  CHECK(faults_of(archive({Raw{}, Raw{}})) == Texts{"member `a.py` occurs more than once"});
}

TEST_CASE("every byte belongs to a record") {
  Raw raw;
  SECTION("trailing bytes") {
    CHECK(faults_of(archive({raw}, "xyz")) ==
          Texts{"the archive is followed by 3 bytes that belong to no record"});
  }
  SECTION("bytes before a member") {
    raw.before = "#!python\n";
    CHECK(faults_of(raw) == Texts{"member `a.py` has bytes before it that belong to no member"});
  }
  SECTION("bytes before the directory") {
    raw.after = "hidden";
    CHECK(faults_of(raw) == Texts{"bytes before the central directory belong to no member"});
  }
  SECTION("bytes before the archive are refused by the reader") {
    const Texts faults = faults_of("#!python\n" + archive({raw}));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].find("central directory is not at the offset") != std::string::npos);
  }
}

TEST_CASE("members may not overlap or lack their header") {
  std::string bytes = archive({Raw{}, Raw{"b.py"}});
  const size_t second = bytes.rfind("b.py") - 4;  // the offset precedes the name
  bytes.replace(second, 4, std::string(4, '\0'));
  CHECK(faults_of(bytes) ==
        Texts{"the archive is not a valid zip file: members `a.py` and `b.py` overlap"});
  bytes = archive({Raw{}});
  bytes[0] = 'X';
  CHECK(faults_of(bytes) == Texts{"member `a.py` has no local header"});
}

TEST_CASE("member comments, encryption and unknown compression are rejected") {
  Raw raw;
  SECTION("comment") {
    raw.comment = "hello";
    CHECK(faults_of(raw) == Texts{"member `a.py` has a comment"});
  }
  SECTION("encryption") {
    raw.local_flags = raw.central_flags = zip::kFlagEncrypted;
    CHECK(faults_of(raw) == Texts{"member `a.py` is encrypted"});
  }
  SECTION("bzip2") {
    raw.local_method = raw.central_method = 12;
    CHECK(faults_of(raw) == Texts{"member `a.py` uses compression method 12; only stored and "
                                  "deflate are allowed"});
  }
}

TEST_CASE("extra fields are complete, unique and of a known length") {
  Raw raw;
  SECTION("twice") {
    raw.local_extra = extra(zip::kExtraUnicodePath, 5) + extra(zip::kExtraUnicodePath, 5);
    CHECK(faults_of(raw) == Texts{"member `a.py` has the same extra field twice"});
  }
  SECTION("odd ZIP64") {
    raw.local_extra = extra(zip::kExtraZip64, 9);
    CHECK(faults_of(raw) == Texts{"member `a.py` has a ZIP64 field of an invalid length"});
  }
  SECTION("cut off, in the central directory") {
    raw.central_extra = "\x01";
    CHECK(faults_of(raw) ==
          Texts{"member `a.py` has a corrupt extra field in the central directory"});
  }
  SECTION("other fields may repeat") {
    raw.local_extra = extra(0x5455, 5) + extra(0x5455, 5) + extra(zip::kExtraZip64, 16);
    CHECK(faults_of(raw).empty());
  }
}

TEST_CASE("more than 64 MiB may not expand from less than a fiftieth") {
  Raw raw;
  raw.local_method = raw.central_method = zip::kDeflated;
  raw.central_size = 65U << 20U;
  CHECK(faults_of(raw) ==
        Texts{"the archive unpacks to 68 MB, more than the limit of 50 times its own size"});
  raw.central_size = 63U << 20U;
  CHECK(faults_of(raw) == Texts{"member `a.py` has a different size in its local header"});
}

TEST_CASE("an archive that cannot be read has one fault") {
  CHECK(faults_of("no zip at all").size() == 1);
  CHECK(faults_of(archive({Raw{"../a.py"}})).size() == 1);
}

TEST_CASE("a changed byte of a header is a fault or an ignored field, never a crash") {
  const std::string whole = archive({Raw{}, Raw{"b.py"}});
  size_t reported = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(~bytes[at]);
    if (!faults_of(bytes).empty()) ++reported;
  }
  CHECK(reported > whole.size() / 2);
}

}  // namespace
}  // namespace pinwheel::wheel
