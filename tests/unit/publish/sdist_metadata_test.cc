#include "publish/sdist_metadata.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

/// One entry of a tar archive, ustar.
std::string entry(const std::string& name, const std::string& contents, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(124, 11, fmt::format("{:011o}", contents.size()));
  header[156] = type;
  header.replace(257, 5, "ustar");
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 7, fmt::format("{:06o}", sum) + std::string(1, '\0'));
  std::string body = contents;
  body.resize((contents.size() + 511) / 512 * 512, '\0');
  return header + body;
}

const std::string kEnd(1024, '\0');

Result<std::string> metadata_of(const std::string& tar) {
  wheel::TextStream stream(tar);
  return publish::sdist_metadata(stream).map(
      [](publish::SdistContents contents) { return contents.metadata; });
}

}  // namespace

TEST_CASE("PKG-INFO of the top directory is found among other files") {
  const std::string tar = entry("x-1.0/sub/PKG-INFO", "wrong") + entry("x-1.0/", "", '5') +
                          entry("x-1.0/PaxHeader", "13 mtime=1.5\n", 'x') +
                          entry("x-1.0/PKG-INFO", "Name: x\n") + kEnd;
  CHECK(metadata_of(tar) == "Name: x\n");
}

TEST_CASE("an archive that is corrupt or lacks PKG-INFO is rejected") {
  const std::string good = entry("x-1.0/PKG-INFO", std::string(600, 'x'));
  std::string flipped = good;
  flipped[3] = 'y';
  std::string huge = good;
  huge.replace(124, 11, "77777777777");
  for (const std::string& tar : {std::string(), kEnd, good.substr(0, 700), flipped, huge,
                                 entry("PKG-INFO", "Name: x\n") + kEnd}) {
    const auto metadata = metadata_of(tar);
    REQUIRE_FALSE(metadata);
    CHECK(metadata.error().kind == ErrorKind::check);
  }
}

TEST_CASE("a PKG-INFO that is too large, or no file of its own, is rejected") {
  const auto large =
      metadata_of(entry("x-1.0/PKG-INFO", std::string(limits::kMetadata.most + 1, 'x')) + kEnd);
  REQUIRE_FALSE(large);
  CHECK(large.error().message ==
        "`x-1.0/PKG-INFO` is larger than the limit of 8.0 MB for the metadata of a package");
  std::string link = entry("x-1.0/PKG-INFO", "", '1');
  link.replace(157, 7, "x-1.0/a");
  unsigned sum = 0;
  link.replace(148, 8, "        ");
  for (const char c : link) sum += static_cast<unsigned char>(c);
  link.replace(148, 7, fmt::format("{:06o}", sum) + std::string(1, '\0'));
  const auto linked = metadata_of(entry("x-1.0/a", "Name: x\n") + link + kEnd);
  REQUIRE_FALSE(linked);
  CHECK(linked.error().message.find("hard link") != std::string::npos);
}
