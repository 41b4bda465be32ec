#include "wheel/tar.h"

#include <algorithm>

#include "base/limits.h"
#include "unit/catch.h"
#include "unit/wheel/make_tar.h"
#include "unit/wheel/python.h"

namespace pinwheel::wheel {
namespace {

const std::string kLong(60, 'd');
const std::string kLongPath = kLong + "/" + kLong + "/" + kLong + "/" + kLong + "/file";

std::vector<TarMember> every_kind() {
  return {{"b.txt", TarKind::file, "hello", {}, 0600},
          {"a", TarKind::directory, {}, {}, 0700},
          {"a/run", TarKind::file, "#!", {}, 0744},
          {"a/link", TarKind::symlink, {}, "../b.txt", 0777},
          {"a/" + std::string(90, 'n') + "/" + std::string(90, 'm'), TarKind::file, "split"},
          {kLongPath, TarKind::file, "pax"},
          {"na\xc3\xafve", TarKind::file, std::string_view()},
          {"far", TarKind::symlink, {}, std::string(120, 't')}};
}

void check_tar_refused(const std::string& tar, const std::string& part) {
  INFO(part);
  const auto members = read_tar(tar);
  REQUIRE_FALSE(members);
  CHECK(members.error().kind == ErrorKind::check);
  CHECK(members.error().message.find(part) != std::string::npos);
}

TEST_CASE("a written tar archive reads back, sorted and with canonical modes") {
  const std::string tar = write_tar(every_kind(), 1700000000);
  const auto members = read_tar(tar);
  REQUIRE(members);
  REQUIRE(members->size() == every_kind().size());
  CHECK(std::is_sorted(members->begin(), members->end(),
                       [](const auto& l, const auto& r) { return l.name < r.name; }));
  for (const TarMember& wanted : every_kind()) {
    INFO(wanted.name);
    const auto found = std::find_if(members->begin(), members->end(),
                                    [&](const auto& m) { return m.name == wanted.name; });
    REQUIRE(found != members->end());
    CHECK(found->kind == wanted.kind);
    CHECK(found->contents == wanted.contents);
    CHECK(found->target == wanted.target);
  }
  CHECK((*members)[0].mode == 0755);
  CHECK(members->at(1).target == "../b.txt");
}

TEST_CASE("a tar archive's bytes do not depend on the order of its members") {
  std::vector<TarMember> turned = every_kind();
  std::reverse(turned.begin(), turned.end());
  CHECK(write_tar(turned, 1700000000) == write_tar(every_kind(), 1700000000));
  CHECK(write_tar(turned, 1700000001) != write_tar(every_kind(), 1700000000));
}

TEST_CASE("Python's tarfile reads the written archive") {
  const ScratchDirectory scratch;
  const std::string file = scratch.write("x.tar", write_tar(every_kind(), 1700000000));
  const std::string listed = python(
      "import sys, tarfile\n"
      "for m in tarfile.open(sys.argv[1]):\n"
      "  print(m.name.encode(), m.type.decode(), oct(m.mode), m.uid, m.gid, repr(m.uname), m.mtime,"
      " m.size, len(m.linkname), bool(m.pax_headers))\n",
      file);
  CHECK(listed.find("b'b.txt' 0 0o644 0 0 '' 1700000000 5 0 False\n") != std::string::npos);
  CHECK(listed.find("b'a' 5 0o755 0 0 '' 1700000000 0 0 False\n") != std::string::npos);
  CHECK(listed.find("b'a/run' 0 0o755 0 0 '' 1700000000 2 0 False\n") != std::string::npos);
  CHECK(listed.find("b'a/link' 2 0o755 0 0 '' 1700000000 0 8 False\n") != std::string::npos);
  CHECK(listed.find(std::string(90, 'm') + "' 0 0o644 0 0 '' 1700000000 5 0 False\n") !=
        std::string::npos);
  CHECK(listed.find(kLongPath + "' 0 0o644 0 0 '' 1700000000 3 0 True\n") != std::string::npos);
  CHECK(listed.find("b'na\\xc3\\xafve' 0 0o644") != std::string::npos);
  CHECK(listed.find("b'far' 2 0o755 0 0 '' 1700000000 0 120 True\n") != std::string::npos);
}

TEST_CASE("archives in each of the formats that Python writes are read") {
  for (const std::string format : {"USTAR", "GNU", "PAX"}) {
    INFO(format);
    const std::string tar = python(
        "import io, sys, tarfile\n"
        "t = tarfile.open(fileobj=sys.stdout.buffer, mode='w|', format=tarfile." +
        format +
        "_FORMAT)\n"
        "def add(name, data=b'', **rest):\n"
        "  m = tarfile.TarInfo(name)\n"
        "  m.size = len(data)\n"
        "  m.mtime = 7 if '" +
        format +
        "' == 'USTAR' else 7.5\n"
        "  for k, v in rest.items(): setattr(m, k, v)\n"
        "  t.addfile(m, io.BytesIO(data))\n"
        "add('top', type=tarfile.DIRTYPE)\n"
        "add('top/' + 'p' * 90 + '/' + 'q' * 90, b'long')\n"
        "add('top/x', b'exec', mode=0o755)\n"
        "add('top/hard', type=tarfile.LNKTYPE, linkname='top/x')\n"
        "add('top/soft', type=tarfile.SYMTYPE, linkname='x')\n"
        "t.close()\n");
    const auto members = read_tar(tar);
    REQUIRE(members);
    REQUIRE(members->size() == 5);
    CHECK(members->at(0).kind == TarKind::directory);
    CHECK(members->at(1).name == "top/" + std::string(90, 'p') + "/" + std::string(90, 'q'));
    CHECK(members->at(1).contents == "long");
    CHECK(members->at(2).mode == 0755);
    CHECK(members->at(3).kind == TarKind::file);
    CHECK(members->at(3).contents == "exec");
    CHECK(members->at(3).mode == 0755);
    CHECK(members->at(4).target == "x");
  }
}

TEST_CASE("an archive that is truncated or changed is rejected") {
  const std::string good = tar_entry("x", std::string(600, 'x')) + kTarEnd;
  REQUIRE(read_tar(good));
  for (const size_t length : {size_t{0}, size_t{100}, size_t{512}, size_t{1200}, size_t{1536}}) {
    check_tar_refused(good.substr(0, length), "corrupt");
  }
  std::string flipped = good;
  flipped[3] = 'y';
  check_tar_refused(flipped, "sum is wrong");
  std::string huge = good.substr(0, 512);
  huge.replace(124, 11, "77777777777");
  check_tar_refused(with_sum(huge) + good.substr(512), "longer than the archive");
  std::string binary = good.substr(0, 512);
  binary.replace(124, 12, "\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  check_tar_refused(with_sum(binary) + good.substr(512), "longer than the archive");
  check_tar_refused(good + tar_entry("y", "") + kTarEnd, "data after its end");
}

TEST_CASE("members that could write elsewhere are rejected") {
  for (const std::string name :
       {"../x", "/x", "a/../../x", "a//x", "./x", "a\\b", "C:/x", "a\nb", "a\xff"}) {
    check_tar_refused(tar_entry(name, "") + kTarEnd, "unsafe name");
  }
  check_tar_refused(tar_entry("l", "", '2', "/etc") + tar_entry("l/x", "") + kTarEnd,
                    "below `l`, which is not a directory");
  check_tar_refused(tar_entry("x", "1") + tar_entry("x", "2") + kTarEnd, "`x` twice");
  check_tar_refused(tar_entry("x", "1") + tar_entry("x/", "", '5') + kTarEnd, "`x` twice");
  for (const char type : {'3', '4', '6', 'S', 'V'}) {
    check_tar_refused(tar_entry("x", "", type) + kTarEnd, "not a file, directory or link");
  }
  check_tar_refused(tar_entry("x", "", '1', "../y") + kTarEnd, "hard link");
}

TEST_CASE("invalid extended headers are rejected") {
  const std::string member = tar_entry("x", "data") + kTarEnd;
  for (const std::string records :
       {"5 a=b\n", "99 path=x\n", "path=x\n", "0 \n", "9 path=xx\n7", "18446744073709551616 a=b\n",
        "7 pathx\n", "14 size=-1234\n", "22 size=1000000000000\n"}) {
    check_tar_refused(tar_entry("p", records, 'x') + member, "corrupt");
  }
  check_tar_refused(tar_entry("p", "12 path=y.z\n", 'g') + member, "global header");
  check_tar_refused(tar_entry("p", "22 GNU.sparse.major=1\n", 'x') + member, "sparse");
  check_tar_refused(tar_entry("p", "12 path=y.z\n", 'x') + kTarEnd, "after an extended header");
  check_tar_refused(tar_entry("p", "13 path=../z\n", 'x') + member, "unsafe name");
  check_tar_refused(tar_entry("p", std::string(5000, 'n'), 'L') + member, "unsafe name");
  const std::string renamed = tar_entry("p", "12 path=y.z\n", 'x') + member;
  const auto named = read_tar(renamed);
  REQUIRE(named);
  CHECK(named->front().name == "y.z");
  CHECK(named->front().contents == "data");
}

/// Returns a few bytes at a time.
class Dripping final : public ByteStream {
 public:
  Dripping(std::string_view bytes, size_t length) : bytes_(bytes), length_(length) {}
  Result<std::string_view> next() override {
    const std::string_view piece = bytes_.substr(0, length_);
    bytes_.remove_prefix(piece.size());
    return piece;
  }

 private:
  std::string_view bytes_;
  size_t length_;
};

/// Writes down its calls.
class Notes final : public TarVisitor {
 public:
  Done member(const TarMember& member, uint64_t size) override {
    text += fmt::format("\n{} {} ", member.name, size);
    return {};
  }
  Done contents(std::string_view piece) override {
    text += piece;
    return {};
  }
  Done same(const TarMember& member, const std::string& first) override {
    text += fmt::format("\n{} as {}", member.name, first);
    return {};
  }
  std::string text;
};

TEST_CASE("a tar archive is read in order from pieces of any length") {
  const std::string tar = tar_entry("a", "hello") + tar_entry("d/", "", '5') +
                          tar_entry("pax", "21 path=" + std::string(12, 'n') + "\n", 'x') +
                          tar_entry("short", std::string(700, 'y')) + tar_entry("b", "", '1', "a") +
                          kTarEnd;
  const std::string seen =
      "\na 5 hello\nd 0 \nnnnnnnnnnnnn 700 " + std::string(700, 'y') + "\nb as a";
  for (const size_t length : {1UL, 5UL, 511UL, 512UL, 513UL, 100'000UL}) {
    INFO(length);
    Dripping stream(tar, length);
    Notes notes;
    REQUIRE(visit_tar(stream, notes));
    CHECK(notes.text == seen);
  }
  Dripping cut(std::string_view(tar).substr(0, tar.size() - 1200), 100);
  Notes notes;
  CHECK_FALSE(visit_tar(cut, notes));
}

TEST_CASE("a tar archive of too many members, or with a long header, is refused") {
  std::string many;
  for (uint64_t i = 0; i <= limits::kMembers.most; ++i) many += tar_entry(std::to_string(i), "");
  check_tar_refused(many + kTarEnd, "more than 200000 members, the limit for an archive");
  const std::string pax = tar_entry("pax", std::string(limits::kTarHeader.most + 1, 'x'), 'x');
  check_tar_refused(pax + kTarEnd, "limit of 1.0 MB for the extended header of a tar archive");
}

}  // namespace
}  // namespace pinwheel::wheel
