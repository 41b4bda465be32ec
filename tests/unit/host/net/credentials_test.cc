#include "host/net/credentials.h"

#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

constexpr const char* kUrl = "https://a.example/legacy/";

Result<ports::BasicCredentials> find(const host::CredentialSources& sources) {
  host::LocalFiles files;
  return host::find_credentials("my-index", kUrl, sources, files);
}

}  // namespace

TEST_CASE("the variable comes before the token file, the token file before .pypirc") {
  const Scratch scratch;
  host::CredentialSources sources{{{"PINWHEEL_TOKEN_MY_INDEX", " from-variable\n"}},
                                  scratch.write("token", "from-file\n"),
                                  scratch.write("pypirc", "[my-index]\npassword = from-pypirc\n")};
  CHECK(find(sources)->password.reveal() == "from-variable");
  CHECK(find(sources)->user == "__token__");
  sources.environment = {{"PINWHEEL_TOKEN_MY_INDEX", ""}, {"PINWHEEL_USER_MY_INDEX", "robot"}};
  CHECK(find(sources)->password.reveal() == "from-file");
  CHECK(find(sources)->user == "robot");
  sources.token_file.clear();
  CHECK(find(sources)->password.reveal() == "from-pypirc");
  CHECK(find(sources)->user == "__token__");
}

TEST_CASE("a .pypirc is read as Python reads it, by name and else by address") {
  const Scratch scratch;
  const auto file = scratch.write("pypirc",
                                  "; comment\n[distutils]\nindex-servers =\n    other\n"
                                  "[other]\nRepository: https://a.example/legacy\n"
                                  "username = me\npassword: se=cr:et%x\n");
  const auto found = find({{}, {}, file});
  REQUIRE(found);
  CHECK(found->user == "me");
  CHECK(found->password.reveal() == "se=cr:et%x");
}

TEST_CASE("without any token the error names all three places") {
  const Scratch scratch;
  const auto file = scratch.write("pypirc", "[other]\npassword = x\n");
  for (const auto& path : {file, scratch.path() / "missing", std::filesystem::path()}) {
    const auto found = find({{}, {}, path});
    REQUIRE_FALSE(found);
    CHECK(found.error().kind == ErrorKind::usage);
    CHECK(found.error().hint ==
          "set PINWHEEL_TOKEN_MY_INDEX, give --token-file FILE, or add a section `[my-index]` to "
          "~/.pypirc; for an index that asks for none, `auth: none` in the matrix or --no-auth");
  }
}

TEST_CASE("a source that is named but holds nothing is an error, not a reason to look further") {
  const Scratch scratch;
  CHECK(find({{}, scratch.path() / "missing", {}}).error().kind == ErrorKind::config);
  CHECK(find({{}, scratch.write("empty", " \n"), {}}).error().kind == ErrorKind::config);
  const auto file = scratch.write("pypirc", "[my-index]\nusername = me\n");
  CHECK(find({{}, {}, file}).error().kind == ErrorKind::config);
}
