#include "plan/environments.h"

#include <string>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

env::Resolution resolution() {
  env::Resolution out;
  out.python = "3.12.7";
  out.packages = {{"numpy", "1.26.4", "numpy.whl", std::string(64, 'a')},
                  {"torch", "2.13.0+cpu", "torch.whl", std::string(64, 'b')}};
  out.absent = {{"nvidia-nccl-cu13", "2.28", "", ""}};
  out.conda = {{"zlib", "1.2.13", "h5eee18b_0", "linux-64", "", std::string(64, 'c')}};
  return out;
}

/// The differences from the environment above.
std::vector<PackageDifference> changed(const env::Resolution& now) {
  CHECK(now.digest() != resolution().digest());
  return map_differences(environment_packages(resolution()), environment_packages(now));
}

}  // namespace

TEST_CASE("whatever changes the digest of an environment is a package that differs") {
  env::Resolution now = resolution();
  now.packages[0].version = "2.0.0";
  CHECK(changed(now).size() == 1);
  now = resolution();
  now.packages[0].sha256 = std::string(64, 'd');
  CHECK(changed(now).size() == 1);
  now = resolution();
  now.python = "3.12.8";
  CHECK(changed(now) == std::vector{PackageDifference{"python", store::InstalledPackage{"3.12.7"},
                                                      store::InstalledPackage{"3.12.8"}}});
  now = resolution();
  now.absent.clear();
  CHECK(changed(now).front().name == "absent:nvidia-nccl-cu13");
  now = resolution();
  now.conda[0].build = "h5eee18b_1";
  CHECK(to_text(changed(now).front()) == "conda:zlib: 1.2.13 h5eee18b_0 -> 1.2.13 h5eee18b_1");
  const store::InstalledPackages same = environment_packages(resolution());
  CHECK(map_differences(same, same).empty());
}

TEST_CASE("a package without a version is in no record") {
  env::Resolution damaged = resolution();
  damaged.absent[0].version.clear();
  CHECK(environment_packages(damaged).size() == 4);
}

TEST_CASE("packages are changed, new, gone or another file of the same version, by name") {
  env::Resolution now = resolution();
  now.packages = {{"numpy", "1.26.4", "numpy.whl", std::string(64, 'd')},
                  {"packaging", "26.0", "packaging.whl", std::string(64, 'e')}};
  now.python = "3.12.8";
  std::vector<std::string> texts;
  for (const PackageDifference& one : changed(now)) texts.push_back(to_text(one));
  CHECK(texts == std::vector<std::string>{"numpy 1.26.4: another file", "packaging 26.0 is new",
                                          "python: 3.12.7 -> 3.12.8", "torch 2.13.0+cpu is gone"});
}
