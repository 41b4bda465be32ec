#include "wheel/sdist.h"

#include "base/bytes.h"
#include "unit/catch.h"
#include "unit/wheel/make_tar.h"
#include "unit/wheel/python.h"
#include "wheel/deflate.h"

namespace pinwheel::wheel {
namespace {

const std::string kInfo = "Metadata-Version: 2.4\nName: Demo.Kit\nVersion: 1.0\n";
const std::string kName = "demo_kit-1.0.tar.gz";

std::string sdist_of(const std::string& entries) {
  return gzip(tar_entry("demo_kit-1.0/PKG-INFO", kInfo) + entries + kTarEnd);
}

void check_refused(const std::string& tar_gz, const std::string& part,
                   const std::string& name = kName) {
  INFO(part);
  const auto info = read_sdist(name, tar_gz);
  REQUIRE_FALSE(info);
  CHECK(info.error().kind == ErrorKind::check);
  CHECK(info.error().message.find(part) != std::string::npos);
}

/// The same sdist as Python packs it: in different orders, at different times, by different users.
std::string packed_by_python(const std::string& order, const std::string& time) {
  return python(
      "import io, sys, tarfile\n"
      "t = tarfile.open(fileobj=sys.stdout.buffer, mode='w|gz')\n"
      "files = [('PKG-INFO', b'Metadata-Version: 2.4\\nName: Demo.Kit\\nVersion: 1.0\\n', 0o600),\n"
      "  ('pyproject.toml', b'[project]\\n', 0o664), ('tools/run', b'#!/bin/sh\\n', 0o775),\n"
      "  ('src/' + 'n' * 120, b'x', 0o644)]\n"
      "for name, data, mode in files[::" +
      order +
      "]:\n"
      "  m = tarfile.TarInfo('demo_kit-1.0/' + name)\n"
      "  m.size, m.mode, m.mtime, m.uid, m.uname = len(data), mode, " +
      time + ", int(" + time +
      ") % 999, 'who'\n"
      "  t.addfile(m, io.BytesIO(data))\n"
      "t.close()\n");
}

TEST_CASE("an sdist has its name, version and members") {
  const auto info = read_sdist(kName, sdist_of(tar_entry("demo_kit-1.0/a.py", "") +
                                               tar_entry("demo_kit-1.0/l", "", '2', "a.py")));
  REQUIRE(info);
  CHECK(info->directory == "demo_kit-1.0");
  CHECK(info->metadata.name() == "Demo.Kit");
  CHECK(info->members ==
        std::vector<std::string>{"demo_kit-1.0/PKG-INFO", "demo_kit-1.0/a.py", "demo_kit-1.0/l"});
  CHECK(check_sdist(*info, {"demo-kit", "1.0"}));
  CHECK(check_sdist(*info, {"demo_kit", "v1.0"}));
  for (const Naming& other : {Naming{"demo", "1.0"}, Naming{"demo-kit", "1.1"}}) {
    const Done checked = check_sdist(*info, other);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().kind == ErrorKind::check);
  }
}

TEST_CASE("a finished sdist does not depend on the order, times or owners of its members") {
  const auto first = finish_sdist(packed_by_python("1", "1600000000.25"), 1700000000);
  const auto second = finish_sdist(packed_by_python("-1", "1650000001"), 1700000000);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(*first == *second);
  CHECK(finish_sdist(*first, 1700000000) == *first);
  CHECK(first->substr(0, 10) == std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10));
  CHECK(read_sdist(kName, *first));
}

TEST_CASE("Python unpacks a finished sdist as installers do") {
  const auto finished = finish_sdist(packed_by_python("-1", "1600000000"), 1700000000);
  REQUIRE(finished);
  const ScratchDirectory scratch;
  const std::string file = scratch.write(kName, *finished);
  const std::string seen = python(
      "import os, sys, tarfile\n"
      "with tarfile.open(sys.argv[1], 'r:*', encoding='utf-8') as t:\n"
      "  print(t.getnames())\n"
      "  print({(m.mtime, m.uid, m.gid, m.uname, m.gname) for m in t})\n"
      "  t.extractall(os.path.dirname(sys.argv[1]), **({'filter': 'data'} if hasattr(tarfile, "
      "'data_filter') else {}))\n"
      "top = os.path.join(os.path.dirname(sys.argv[1]), 'demo_kit-1.0')\n"
      "print(os.access(top + '/tools/run', os.X_OK), os.access(top + '/PKG-INFO', os.X_OK))\n"
      "print(open(top + '/PKG-INFO').read(), end='')\n",
      file);
  CHECK(seen == "['demo_kit-1.0/PKG-INFO', 'demo_kit-1.0/pyproject.toml', 'demo_kit-1.0/src/" +
                    std::string(120, 'n') +
                    "', 'demo_kit-1.0/tools/run']\n{(1700000000, 0, 0, '', '')}\nTrue False\n" +
                    kInfo);
}

TEST_CASE("an sdist whose names disagree is rejected") {
  const std::string good = sdist_of("");
  REQUIRE(read_sdist(kName, good));
  check_refused(good, "is not an sdist file name", "Demo.Kit-1.0.tar.gz");
  check_refused(good, "is not an sdist file name", "demo_kit-1.0.zip");
  check_refused(good, "is not an sdist file name", "demo_kit.tar.gz");
  check_refused(good, "contains `demo_kit-1.0`", "demo_kit-1.1.tar.gz");
  check_refused(gzip(tar_entry("demo_kit-2/PKG-INFO", kInfo) + kTarEnd),
                "by its PKG-INFO it should be `demo_kit-1.0`");
  check_refused(gzip(tar_entry("demo_kit-1.0/sub/PKG-INFO", kInfo) + kTarEnd), "has no");
  check_refused(gzip(tar_entry("demo_kit-1.0/PKG-INFO", "Name: x\n") + kTarEnd), "is invalid");
  check_refused(gzip(kTarEnd), "is empty");
  check_refused(sdist_of(tar_entry("setup.py", "")), "outside its directory");
}

TEST_CASE("links may not leave the sdist") {
  for (const std::string target : {"/etc/passwd", "../x", "../../x", "a/../../x", "", "a//b",
                                   "sub/../../../x", "..", "../demo_kit-1.0/a"}) {
    check_refused(sdist_of(tar_entry("demo_kit-1.0/link", "", '2', target)),
                  "points outside the sdist");
  }
  for (const std::string target : {"../PKG-INFO", "..", "x", ".", "../other/x"}) {
    INFO(target);
    CHECK(read_sdist(kName, sdist_of(tar_entry("demo_kit-1.0/sub/link", "", '2', target))));
  }
}

TEST_CASE("corrupt sdists and zip bombs are rejected by reading and finishing") {
  const std::string good = sdist_of("");
  std::string liar = good.substr(0, good.size() - 4);
  append_le<uint32_t>(liar, 0xfffffff0U);
  const std::string bomb = gzip(std::string(uint64_t{80} << 20U, '\0'));
  REQUIRE(bomb.size() < 250000);
  for (const std::string& bad : {std::string(), good.substr(0, 30), good + "x", liar, bomb}) {
    CHECK_FALSE(read_sdist(kName, bad));
    const auto finished = finish_sdist(bad, 0);
    REQUIRE_FALSE(finished);
    CHECK(finished.error().kind == ErrorKind::check);
  }
}

}  // namespace
}  // namespace pinwheel::wheel
