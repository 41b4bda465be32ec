#include "host/index/verified_files.h"

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using host::VerifiedFile;
using host::VerifiedFiles;

namespace {

VerifiedFile sample(const std::string& url) {
  return {url, "sha256=aa", "etag", publish::MetadataFacts{"bb", "demo", "1.0", ">=3.10"}};
}

}  // namespace

TEST_CASE("a verified file is known to the next check, while its hash and state are the same") {
  const Scratch scratch;
  const auto path = scratch.path() / "deep" / "record.jsonl";
  {
    const auto files = VerifiedFiles::open(path);
    REQUIRE(files);
    CHECK_FALSE((*files)->find("u", "sha256=aa", "etag"));
    REQUIRE((*files)->add(sample("u")));
    CHECK((*files)->find("u", "sha256=aa", "etag") == sample("u"));
  }
  const auto files = VerifiedFiles::open(path);
  REQUIRE(files);
  CHECK((*files)->find("u", "sha256=aa", "etag") == sample("u"));
  CHECK_FALSE((*files)->find("u", "sha256=cc", "etag"));
  CHECK_FALSE((*files)->find("u", "sha256=aa", "other"));
  CHECK_FALSE((*files)->find("v", "sha256=aa", "etag"));
}

TEST_CASE("a record that was cut anywhere is read up to there, and continued") {
  const Scratch scratch;
  const auto whole = scratch.path() / "whole";
  {
    const auto files = VerifiedFiles::open(whole);
    REQUIRE((*files)->add(sample("first")));
    REQUIRE((*files)->add(sample("second")));
  }
  const std::string text = scratch.read("whole");
  const size_t line = text.find('\n') + 1;
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const auto path = scratch.write("cut", text.substr(0, cut));
    REQUIRE((*VerifiedFiles::open(path))->add(sample("third")));
    const auto files = VerifiedFiles::open(path);
    REQUIRE(files);
    INFO(cut);
    CHECK((*files)->find("first", "sha256=aa", "etag").has_value() == (cut + 1 >= line));
    CHECK((*files)->find("third", "sha256=aa", "etag") == sample("third"));
  }
}

TEST_CASE("lines that are no record are ignored") {
  const Scratch scratch;
  const auto path = scratch.write("record", "[]\n{\"url\": 1}\n{}\nnonsense\n\n\xff\n");
  const auto files = VerifiedFiles::open(path);
  REQUIRE(files);
  CHECK_FALSE((*files)->find("", "", ""));
}
