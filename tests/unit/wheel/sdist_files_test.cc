#include "wheel/sdist_files.h"

#include "unit/catch.h"
#include "unit/wheel/make_tar.h"
#include "unit/wheel/python.h"
#include "wheel/deflate.h"

namespace pinwheel::wheel {
namespace {

/// An archive as Python packs it, with an executable and, in a tar, a link.
std::string packed(const std::string& how) {
  return python(
      "import io, sys, tarfile, zipfile\n"
      "files = [('a-1/PKG-INFO', b'x', 0o644), ('a-1/bin/run', b'#!', 0o755)]\n"
      "out = io.BytesIO()\n" +
      how + "sys.stdout.buffer.write(out.getvalue())\n");
}

const std::string kTar =
    "t = tarfile.open(fileobj=out, mode='w:gz')\n"
    "for name, data, mode in files:\n"
    "  m = tarfile.TarInfo(name); m.size = len(data); m.mode = mode\n"
    "  t.addfile(m, io.BytesIO(data))\n"
    "m = tarfile.TarInfo('a-1/link'); m.type = tarfile.SYMTYPE; m.linkname = 'bin/run'\n"
    "t.addfile(m); t.close()\n";
const std::string kZip =
    "z = zipfile.ZipFile(out, 'w')\n"
    "for name, data, mode in files:\n"
    "  i = zipfile.ZipInfo(name); i.external_attr = (0o100000 | mode) << 16\n"
    "  z.writestr(i, data)\n"
    "z.close()\n";

struct KeptFile {
  SdistFile file;
  std::string contents;
};

/// Stores all files with their contents.
class KeepFiles final : public SdistVisitor {
 public:
  Done file(const SdistFile& file) override {
    kept.push_back({file, file.target});
    return {};
  }
  Done contents(std::string_view piece) override {
    kept.back().contents += piece;
    return {};
  }
  Done same(const SdistFile& file, const std::string& first) override {
    kept.push_back({file, "as " + first});
    return {};
  }
  std::vector<KeptFile> kept;
};

Result<std::vector<KeptFile>> files_of(const std::string& name, const std::string& bytes) {
  KeepFiles files;
  TRY_DONE(visit_sdist(name, ports::MemorySource(bytes), files));
  return std::move(files.kept);
}

TEST_CASE("the files of an sdist lie below its top-level directory") {
  for (const auto& [name, how, count] :
       {std::tuple{"a-1.tar.gz", kTar, size_t{3}}, {"a-1.zip", kZip, size_t{2}}}) {
    const auto files = files_of(name, packed(how));
    REQUIRE(files);
    REQUIRE(files->size() == count);
    CHECK(files->at(0).file.name == "PKG-INFO");
    CHECK(files->at(0).contents == "x");
    CHECK(files->at(0).file.kind == SdistFileKind::plain);
    CHECK(files->at(1).file.name == "bin/run");
    CHECK(files->at(1).file.kind == SdistFileKind::executable);
    if (count < 3) continue;
    CHECK(files->at(2).file.kind == SdistFileKind::link);
    CHECK(files->at(2).contents == "bin/run");
  }
}

TEST_CASE("a hard link is a file with the contents of another") {
  const auto files = files_of(
      "a-1.tar.gz", gzip(tar_entry("a-1/x", "1") + tar_entry("a-1/y", "", '1', "a-1/x") + kTarEnd));
  REQUIRE(files);
  REQUIRE(files->size() == 2);
  CHECK(files->at(1).file.name == "y");
  CHECK(files->at(1).contents == "as x");
}

TEST_CASE("an archive that would unpack elsewhere, or to nothing, is refused") {
  const auto refused = [](const std::string& entries, const std::string& part) {
    const auto files = files_of("a-1.tar.gz", gzip(entries + kTarEnd));
    REQUIRE_FALSE(files);
    CHECK(files.error().kind == ErrorKind::check);
    INFO(files.error().message);
    CHECK(files.error().message.find(part) != std::string::npos);
  };
  refused(tar_entry("a-1/x", "1") + tar_entry("b/y", "2"), "outside its directory");
  refused(tar_entry("../x", "1"), "");
  refused(tar_entry("a-1", "1"), "not a directory");
  refused("", "contains no files");
  CHECK_FALSE(files_of("a-1.tar.gz", "not gzip"));
  CHECK_FALSE(files_of("a-1.zip", "not a zip"));
}

}  // namespace
}  // namespace pinwheel::wheel
