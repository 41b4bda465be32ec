#include "conda/conda_output.h"

#include "unit/catch.h"
#include "unit/env/tool_output.h"

using namespace pinwheel;
using conda::CondaKind;

namespace {

std::string sha(char digit) {
  return std::string(64, digit);
}

}  // namespace

TEST_CASE("the packages that rattler chose are read, sorted") {
  const auto packages = parse_solution(CondaKind::rattler, tool_output("rattler_solution.txt"));
  REQUIRE(packages.has_value());
  REQUIRE(packages->size() == 2);
  CHECK((*packages)[0].name == "left");
  CHECK((*packages)[1].name == "shared");
  CHECK((*packages)[1].version == "1.0");
  CHECK((*packages)[1].subdir == "linux-64");
  CHECK((*packages)[1].url.ends_with("/linux-64/shared-1.0-0.tar.bz2"));
  CHECK((*packages)[1].sha256.size() == 64);
  CHECK((*packages)[1].md5.size() == 32);
  CHECK((*packages)[1].size > 0);
}

TEST_CASE("conda's fetch records are complete, its link records are not") {
  const std::string text = R"({"actions": {
    "FETCH": [{"name": "zlib", "version": "1.3", "build": "h1_0", "subdir": "linux-64",
               "url": "https://user:word@host/t/to-ken/c/linux-64/zlib-1.3-h1_0.conda",
               "sha256": ")" +
                           sha('a') + R"(", "md5": "0123", "size": 7}],
    "LINK": [{"name": "zlib", "version": "1.3", "build_string": "h1_0", "dist_name": "zlib-1.3-h1_0"}]
    }, "success": true})";
  const auto packages = parse_solution(CondaKind::conda, text);
  REQUIRE(packages.has_value());
  CHECK(*packages == std::vector<env::CondaPackage>{{"zlib", "1.3", "h1_0", "linux-64",
                                                     "https://host/c/linux-64/zlib-1.3-h1_0.conda",
                                                     sha('a'), "0123", 7}});
}

TEST_CASE("mamba's link records are complete; the platform is the directory in the URL") {
  const std::string text = R"({"actions": {"LINK": [
    {"name": "b", "version": "2", "build_string": "0", "url": "https://host/c/noarch/b-2-0.conda",
     "sha256": ")" + sha('b') +
                           R"("}]}})";
  const auto packages = parse_solution(CondaKind::micromamba, text);
  REQUIRE(packages.has_value());
  CHECK(packages->at(0).subdir == "noarch");
}

TEST_CASE("a solution that could not be installed again is refused") {
  for (const char* const text : {
           R"({"actions": {"LINK": [{"name": "b", "version": "2"}]}})",
           R"({"actions": {"LINK": [{"name": "b", "url": "https://h/noarch/b-2-0.conda"}]}})",
           R"({"actions": {}})",
           R"({"success": true})",
           "Collecting package metadata",
           "",
       }) {
    INFO(text);
    const auto packages = parse_solution(CondaKind::conda, text);
    REQUIRE_FALSE(packages.has_value());
    CHECK(packages.error().kind == ErrorKind::environment);
  }
  // Real output, from a client that is too old.
  CHECK_FALSE(parse_solution(CondaKind::conda, tool_output("conda_old_solution.txt")).has_value());
  CHECK_FALSE(parse_solution(CondaKind::rattler, tool_output("rattler_conflict.txt")).has_value());
}

TEST_CASE("a solver's explanation is kept complete") {
  const std::string rattler =
      explanation(CondaKind::rattler, tool_output("rattler_conflict.txt"), "");
  CHECK(rattler.starts_with("Cannot solve the request because of"));
  CHECK(rattler.ends_with("shared 1.0, which conflicts with the versions reported above."));
  const std::string conda = explanation(CondaKind::conda, tool_output("conda_conflict.txt"), "");
  CHECK(conda ==
        "The following specifications were found to be in conflict:\n  - left -> shared <2\n"
        "  - right -> shared >=2\nUse \"conda info <package>\" to see the dependencies for each "
        "package.");
  CHECK(explanation(CondaKind::micromamba, "",
                    "channel/linux-64   Using cache\n"
                    "error    libmamba Could not solve for environment specs\n"
                    "    The following package could not be found\n") ==
        "Could not solve for environment specs\n    The following package could not be found");
  CHECK(explanation(CondaKind::conda, "", tool_output("conda_md5_mismatch.txt"))
            .starts_with("MD5MismatchError"));
}

TEST_CASE("rattler's report of a failure is parsed") {
  CHECK(conda::parse_rattler_failure(tool_output("rattler_conflict.txt")).what == "conflict");
  CHECK(conda::parse_rattler_failure(tool_output("rattler_hash_mismatch.txt")).what == "hash");
  CHECK(conda::parse_rattler_failure(tool_output("rattler_solution.txt")).what.empty());
  CHECK(conda::parse_rattler_failure("Traceback").what.empty());
}

TEST_CASE("the archives that rattler needed are in every reply to an installation") {
  CHECK(conda::parse_rattler_traffic(
            R"({"installed": "/p", "fetched": 9, "downloads": 2, "cached": 3})") ==
        env::PackageTraffic{.fetched = 9, .downloads = 2, .cached = 3});
  CHECK(conda::parse_rattler_traffic(
            R"({"failed": "hash", "reason": "r", "fetched": 7, "downloads": 1, "cached": 0})") ==
        env::PackageTraffic{.fetched = 7, .downloads = 1});
  for (const char* const none : {"", "no JSON", "[1]", R"({"packages": []})",
                                 R"({"fetched": -1, "downloads": "2", "cached": 1.5})"}) {
    CAPTURE(none);
    CHECK(conda::parse_rattler_traffic(none) == env::PackageTraffic{});
  }
}

TEST_CASE("only a glibc has a glibc version") {
  CHECK(conda::parse_glibc("glibc 2.36\n") == "2.36");
  CHECK(conda::parse_glibc("musl libc\n").empty());
  CHECK(conda::parse_glibc("").empty());
}
