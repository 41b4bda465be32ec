#include "publish/choose_file.h"

#include "unit/catch.h"

using namespace pinwheel;
using publish::Choice;
using publish::ChoiceRequest;
using publish::IndexFile;
using publish::Installer;

namespace {

ChoiceRequest on(const char* machine) {
  return {*pep::parse_target_python(machine)};
}
constexpr const char* kMachine = "cp311-manylinux_2_28_x86_64";

IndexFile named(const char* filename) {
  return {filename, filename};
}

/// What both installers take.
Choice choice(const std::vector<IndexFile>& files, const ChoiceRequest& request) {
  const Choice pip = publish::choose_file(files, request, Installer::pip);
  CHECK(pip == publish::choose_file(files, request, Installer::uv));
  return pip;
}

std::chrono::system_clock::time_point day(int number) {
  return std::chrono::sys_days(std::chrono::year(2026) / 1 / number);
}

}  // namespace

TEST_CASE("the newest version wins, then the best tag, then the highest build tag") {
  const std::vector<IndexFile> files = {named("demo-1.9-cp311-cp311-manylinux_2_28_x86_64.whl"),
                                        named("demo-2.0-py3-none-any.whl"),
                                        named("demo-2.0-cp311-cp311-manylinux_2_17_x86_64.whl"),
                                        named("demo-2.0-1-cp311-cp311-manylinux_2_17_x86_64.whl"),
                                        named("demo-2.0-cp39-abi3-manylinux_2_28_x86_64.whl"),
                                        named("demo-2.0-cp311-cp311-manylinux_2_34_x86_64.whl"),
                                        named("demo-2.0.tar.gz"),
                                        named("demo-2.1-cp312-cp312-manylinux_2_28_x86_64.whl")};
  CHECK(choice(files, on(kMachine)) ==
        Choice{"demo-2.0-1-cp311-cp311-manylinux_2_17_x86_64.whl", ""});
  CHECK(choice(files, on("cp310-manylinux_2_28_x86_64")).filename ==
        "demo-2.0-cp39-abi3-manylinux_2_28_x86_64.whl");
  CHECK(choice(files, on("cp312-manylinux_2_28_x86_64")).filename ==
        "demo-2.1-cp312-cp312-manylinux_2_28_x86_64.whl");
}

TEST_CASE("an sdist is taken if the newest version has no wheel for the machine") {
  const std::vector<IndexFile> files = {named("demo-1.0-py3-none-any.whl"),
                                        named("demo-2.0.tar.gz")};
  CHECK(choice(files, on(kMachine)) == Choice{"demo-2.0.tar.gz", "it has to be built"});
}

TEST_CASE("yanked files, other Pythons and pre-releases are left out") {
  IndexFile yanked = named("demo-3.0-py3-none-any.whl");
  yanked.yanked = "broken";
  IndexFile newer = named("demo-2.0-py3-none-any.whl");
  newer.requires_python = ">=3.12";
  IndexFile odd = named("demo-1.5-py3-none-any.whl");
  odd.requires_python = "nonsense";
  const IndexFile pre = named("demo-4.0rc1-py3-none-any.whl");
  CHECK(choice({yanked, newer, odd, pre}, on(kMachine)).filename == odd.filename);
  CHECK(choice({yanked, newer, pre}, on(kMachine)).filename == pre.filename);
  const Choice none =
      choice({yanked, newer, named("demo-1.0-cp312-cp312-win_amd64.whl")}, on(kMachine));
  CHECK(none == Choice{"", "1 file for other machines, 1 file for another Python, 1 file yanked"});
  CHECK(choice({named("readme.html")}, on(kMachine)).reason ==
        "the page lists no wheel and no sdist");
}

TEST_CASE("with a time, files uploaded later are ignored by both") {
  IndexFile old = named("demo-1.0-py3-none-any.whl");
  old.upload_time = "2026-01-02T00:00:00Z";
  IndexFile fresh = named("demo-2.0-py3-none-any.whl");
  fresh.upload_time = "2026-01-03T00:00:00Z";
  ChoiceRequest request = on(kMachine);
  request.before = day(3);
  CHECK(choice({old, fresh}, request).filename == old.filename);
  request.before = day(2);
  CHECK(choice({old, fresh}, request) == Choice{"", "2 files too new"});
}

TEST_CASE("without upload times, uv ignores a file and pip stops") {
  IndexFile timed = named("demo-1.0-py3-none-any.whl");
  timed.upload_time = "2026-01-02T00:00:00Z";
  const std::vector<IndexFile> files = {timed, named("demo-2.0-py3-none-any.whl")};
  ChoiceRequest request = on(kMachine);
  request.before = day(9);
  CHECK(publish::choose_file(files, request, Installer::uv).filename == timed.filename);
  const Choice pip = publish::choose_file(files, request, Installer::pip);
  CHECK(pip.filename.empty());
  CHECK(pip.reason == "pip stops with an error, as `demo-2.0-py3-none-any.whl` has no upload time");
  // pip compares no times in a directory.
  request.place = publish::PagePlace::directory;
  CHECK(publish::choose_file(files, request, Installer::pip).filename == files[1].filename);
}

TEST_CASE("pip reads upload times of JSON pages only") {
  IndexFile timed = named("demo-1.0-py3-none-any.whl");
  timed.upload_time = "2026-01-02T00:00:00Z";
  ChoiceRequest request = on(kMachine);
  request.before = day(9);
  request.form = publish::PageForm::html;
  CHECK(publish::choose_file({timed}, request, Installer::uv).filename == timed.filename);
  CHECK(publish::choose_file({timed}, request, Installer::pip) ==
        Choice{"", "pip stops with an error, as it reads upload times of JSON pages only"});
}
