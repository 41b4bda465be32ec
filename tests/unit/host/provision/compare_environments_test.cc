#include "host/provision/compare_environments.h"

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using host::FileChange;
namespace fs = std::filesystem;

TEST_CASE("two builds of one environment are compared regardless of the cache's path") {
  const Scratch scratch;
  for (const std::string cache : {"one", "another"}) {
    const std::string root = (scratch.path() / cache).string();
    const std::string id = cache == "one" ? "ab" : "cd";
    const std::string place = cache + "/environments/" + id + "/";
    scratch.write(place + "pinwheel-complete.json", "made " + cache);
    scratch.write(place + "same", "same");
    scratch.write(place + "bin/program", "#!" + root + "/environments/" + id + "/bin/python\n");
    scratch.write(place + "conda-meta/a.json",
                  "{\"sha256_in_prefix\": \"" + std::string(64, id[0]) + "\"}");
    scratch.write(place + "changed", cache);
    scratch.write(place + "open", "text");
    scratch.write(place + "in-" + cache, "text");
    fs::create_symlink(root + "/conda/c/bin/python", scratch.path() / place / "link");
  }
  fs::permissions(scratch.path() / "one/environments/ab/open", fs::perms::owner_all);
  const auto found = host::compare_environments({scratch.path() / "one", "environments/ab"},
                                                {scratch.path() / "another", "environments/cd"});
  REQUIRE(found.has_value());
  CHECK(*found == std::vector<host::FileDifference>{{"changed", FileChange::contents},
                                                    {"in-another", FileChange::only_there},
                                                    {"in-one", FileChange::only_here},
                                                    {"open", FileChange::mode}});
  CHECK(host::to_string(FileChange::mode) == "other permissions");
  CHECK_FALSE(host::compare_environments({scratch.path() / "one", "e"}, {scratch.path(), "e"}));
}
