#include "host/wheels/written_wheel.h"

#include "base/digest.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "wheel/record.h"
#include "wheel/zip_writer.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

std::string digest_of(const std::string& contents) {
  Sha256 hash;
  hash.update(contents);
  return base64url(hash.finish());
}

/// A wheel with a member of that name, whose digest RECORD may state wrongly.
void write_wheel(PendingFile& file, const std::string& member, const std::string& recorded) {
  const std::string info = "demo-1.0.dist-info/";
  const std::vector<std::pair<std::string, std::string>> members = {
      {member, "x = 1\n"},
      {info + "METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n"},
      {info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}};
  wheel::ZipWriter writer([&](std::string_view bytes) { return file.write(bytes); }, 0);
  std::vector<wheel::RecordRow> rows;
  for (const auto& [name, contents] : members) {
    const bool is_first = name == member;
    rows.push_back({name, "sha256", digest_of(is_first ? recorded : contents), contents.size()});
    REQUIRE(writer.add(name, contents));
  }
  rows.push_back({info + "RECORD"});
  REQUIRE(writer.add(info + "RECORD", wheel::to_string(rows)));
  REQUIRE(writer.finish());
}

Done written(const std::string& member, const std::string& recorded = "x = 1\n") {
  const Scratch scratch;
  PendingFile file(scratch.path() / "demo-1.0-py3-none-any.whl");
  write_wheel(file, member, recorded);
  TRY_DONE(check_written(file));
  return {};
}

TEST_CASE("a wheel is read back before it gets its name") {
  CHECK(written("demo.py"));
  for (const char* const name :
       {"demo/lib\n::add-mask::x.so", "demo/\u202eyp.so", "demo/\x1b.py"}) {
    CAPTURE(name);
    const Done done = written(name);
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == ErrorKind::check);
    CHECK(done.error().message == "`demo-1.0-py3-none-any.whl` would not be a valid wheel");
  }
  const Done wrong = written("demo.py", "x = 2\n");
  REQUIRE_FALSE(wrong);
  REQUIRE(wrong.error().causes.size() == 1);
  CHECK(wrong.error().causes[0].message.starts_with("[record] `demo.py`"));
}

}  // namespace
}  // namespace pinwheel::host
