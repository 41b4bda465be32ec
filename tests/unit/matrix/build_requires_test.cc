#include "matrix/build_requires.h"

#include "unit/catch.h"

namespace pinwheel::matrix {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("projects that the matrix names are its own, and torch is the variant's") {
  EnvironmentSettings own;
  own.pip = {"Setup_Tools<81"};
  own.tools = {"cmake>=3.26"};
  const EnvironmentSettings merged = with_build_requires(
      own, {"setup-tools>=61", "CMake", "torch>=2", "numpy; python_version<'3.9'",
            "numpy>=2; python_version>='3.9'", "not a requirement!"});
  CHECK(merged.pip == Texts{"Setup_Tools<81", "numpy; python_version<'3.9'",
                            "numpy>=2; python_version>='3.9'", "not a requirement!"});
  CHECK(merged.tools == own.tools);
}

TEST_CASE("versions that exclude each other are a contradiction") {
  const auto contradicts = [](const std::string& mine, const std::string& theirs) {
    EnvironmentSettings own;
    own.pip = {mine};
    return contradictions(own, {theirs}).size() == 1;
  };
  CHECK(contradicts("setuptools<61", "setuptools>=61"));
  CHECK(contradicts("setuptools==60.1", "setuptools>=61"));
  CHECK(contradicts("setuptools==1.*", "setuptools~=2.3"));
  CHECK(contradicts("a>2", "a<=2"));
  CHECK_FALSE(contradicts("a>=2", "a<=2"));
  CHECK_FALSE(contradicts("setuptools<81", "setuptools>=61"));
  CHECK_FALSE(contradicts("setuptools>=40", "setuptools>=61"));
  CHECK_FALSE(contradicts("setuptools", "setuptools>=61"));
  CHECK_FALSE(contradicts("setuptools!=70", "setuptools>=61"));
  CHECK_FALSE(contradicts("other<61", "setuptools>=61"));
  CHECK_FALSE(contradicts("setuptools<61", "setuptools>=61; python_version<'3'"));
  EnvironmentSettings own;
  own.tools = {"a<1"};
  CHECK(contradictions(own, {"a>1"}) ==
        Texts{"the matrix installs `a<1`, but the project's `[build-system]` requires `a>1`"});
}

TEST_CASE("a project that needs torch needs a torch in the matrix") {
  EnvironmentSettings own;
  CHECK(lacks_torch(own, {"setuptools", "torch>=2"}));
  CHECK_FALSE(lacks_torch(own, {"setuptools", "torchvision"}));
  own.torch.spec = "torch~=2.13.0";
  CHECK_FALSE(lacks_torch(own, {"torch>=2"}));
  own.torch.spec.clear();
  own.pip = {"torch==2.13.0"};
  CHECK_FALSE(lacks_torch(own, {"torch>=2"}));
}

}  // namespace
}  // namespace pinwheel::matrix
