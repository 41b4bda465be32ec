#include "wheel/archive.h"

#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"

namespace pinwheel::wheel {
namespace {

TEST_CASE("a file of the dist-info directory that is too large is not read") {
  const std::string large(limits::kMetadata.most + 1, 'x');
  const ports::MemorySource source(make_zip({{"a-1.dist-info/METADATA", large},
                                             {"a-1.dist-info/WHEEL", "x"},
                                             {"a-1.dist-info/RECORD", large}}));
  const Result<WheelArchive> archive = open_wheel("a-1-py3-none-any.whl", source);
  REQUIRE(archive);
  CHECK(archive->read_info("WHEEL") == "x");
  // A RECORD may be longer.
  CHECK(archive->read_info("RECORD") == large);
  const Result<std::string> refused = archive->read_info("METADATA");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        "`a-1.dist-info/METADATA` is larger than the limit of 8.0 MB for the metadata of a "
        "package");
}

}  // namespace
}  // namespace pinwheel::wheel
