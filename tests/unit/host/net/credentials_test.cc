#include "host/net/credentials.h"

#include "unit/catch.h"
#include "unit/host/credential_bench.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

constexpr const char* kUrl = "https://a.example/legacy/";

host::CredentialRequest request(const Scratch& home) {
  return {"my-index", *publish::endpoint(kUrl), {{"HOME", home.path().string()}}};
}

/// The sources of a machine; masked secrets are added to `masked`.
Result<ports::BasicCredentials> find(const host::CredentialRequest& request,
                                     std::vector<std::string>* masked = nullptr) {
  const CredentialBench bench;
  Result<host::Credentials> found = host::find_credentials(
      request, host::credential_sources(request, bench.ports), [masked](const Secret& secret) {
        if (masked != nullptr) masked->push_back(secret.reveal());
      });
  if (!found) return fail(found.error());
  return std::get<ports::BasicCredentials>(*found);
}

host::CredentialSource silent(std::vector<std::string>& asked) {
  return {"do this", [&asked]() -> Result<std::optional<host::Credentials>> {
            asked.emplace_back("silent");
            return std::nullopt;
          }};
}

}  // namespace

TEST_CASE("the variable comes before the token file, the token file before .pypirc") {
  const Scratch scratch;
  scratch.write(".pypirc", "[my-index]\npassword = from-pypirc\n");
  host::CredentialRequest asked = request(scratch);
  asked.variables["PINWHEEL_TOKEN_MY_INDEX"] = " from-variable\n";
  asked.token_file = scratch.write("token", "from-file\n");
  std::vector<std::string> masked;
  CHECK(find(asked, &masked)->password.reveal() == "from-variable");
  CHECK(find(asked)->user == "__token__");
  asked.variables["PINWHEEL_TOKEN_MY_INDEX"] = "";
  asked.variables["PINWHEEL_USER_MY_INDEX"] = "robot";
  CHECK(find(asked, &masked)->password.reveal() == "from-file");
  CHECK(find(asked)->user == "robot");
  asked.token_file.clear();
  CHECK(find(asked, &masked)->password.reveal() == "from-pypirc");
  CHECK(find(asked)->user == "__token__");
  CHECK(masked == std::vector<std::string>{"from-variable", "from-file", "from-pypirc"});
}

TEST_CASE("GitHub's API takes the variables of gh, and neither .pypirc nor an identity") {
  const Scratch scratch;
  scratch.write(".pypirc", "[my-index]\npassword = from-pypirc\n");
  host::CredentialRequest asked = request(scratch);
  asked.variables["GITHUB_TOKEN"] = "from-github";
  CHECK(find(asked)->password.reveal() == "from-pypirc");
  asked.use = host::CredentialUse::github;
  CHECK(find(asked)->password.reveal() == "from-github");
  asked.variables["GH_TOKEN"] = "from-gh-cli";
  CHECK(find(asked)->password.reveal() == "from-gh-cli");
  asked.variables["PINWHEEL_TOKEN_MY_INDEX"] = "from-variable";
  CHECK(find(asked)->password.reveal() == "from-variable");
  asked.variables = {{"HOME", scratch.path().string()}};
  const auto none = find(asked);
  REQUIRE_FALSE(none);
  CHECK(none.error().hint ==
        "set PINWHEEL_TOKEN_MY_INDEX, pass --token-file FILE, or set GITHUB_TOKEN; in a workflow, "
        "the job needs `permissions: {contents: write}`");
}

TEST_CASE("sources are tried in order, and none after the first that has credentials") {
  std::vector<std::string> asked;
  const host::CredentialSource knows{"", [&]() -> Result<std::optional<host::Credentials>> {
                                       asked.emplace_back("knows");
                                       return ports::BasicCredentials{"me", Secret("pass-word")};
                                     }};
  const auto found =
      host::find_credentials({"index"}, {silent(asked), knows, silent(asked), knows}, {});
  REQUIRE(found);
  CHECK(std::get<ports::BasicCredentials>(*found).user == "me");
  CHECK(asked == std::vector<std::string>{"silent", "knows"});
}

TEST_CASE("a late source mints when it is called, and masks before it returns") {
  std::vector<std::string> events;
  const host::CredentialSource late{
      "", [&]() -> Result<std::optional<host::Credentials>> {
        events.emplace_back("asked");
        return host::CredentialExchange([&] {
          events.emplace_back("exchanged");
          return host::ExchangedCredentials{{"robot", Secret("fresh-token")}};
        });
      }};
  const auto found = host::find_credentials({"index"}, {late}, [&](const Secret& secret) {
    events.push_back("masked " + secret.reveal());
  });
  REQUIRE(found);
  CHECK(events == std::vector<std::string>{"asked"});
  const auto exchanged = std::get<host::CredentialExchange>(*found)();
  events.push_back("used " + exchanged->credentials.password.reveal());
  CHECK(events ==
        std::vector<std::string>{"asked", "exchanged", "masked fresh-token", "used fresh-token"});
}

TEST_CASE("a token that cannot be exchanged is an error, and nothing is masked") {
  const host::CredentialSource late{
      "", []() -> Result<std::optional<host::Credentials>> {
        return host::CredentialExchange(
            []() -> Result<host::ExchangedCredentials> { return fail(ErrorKind::publish, "no"); });
      }};
  int masked = 0;
  const auto found =
      host::find_credentials({"index"}, {late}, [&](const Secret& /*secret*/) { ++masked; });
  REQUIRE(found);
  CHECK(std::get<host::CredentialExchange>(*found)().error().message == "no");
  CHECK(masked == 0);
}

TEST_CASE("a token that messages cannot hide is refused, and never masked") {
  const Scratch scratch;
  host::CredentialRequest asked = request(scratch);
  asked.variables["PINWHEEL_TOKEN_MY_INDEX"] = "x";
  std::vector<std::string> masked;
  const auto found = find(asked, &masked);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::usage);
  CHECK(found.error().message == "the token for `my-index` has fewer than 8 characters");
  const host::CredentialSource late{
      "", []() -> Result<std::optional<host::Credentials>> {
        return host::CredentialExchange([] {
          return host::ExchangedCredentials{{"robot", Secret("short")}};
        });
      }};
  const auto exchanged = host::find_credentials(
      {"index"}, {late}, [&](const Secret& secret) { masked.push_back(secret.reveal()); });
  REQUIRE(exchanged);
  CHECK(std::get<host::CredentialExchange>(*exchanged)().error().kind == ErrorKind::usage);
  CHECK(masked.empty());
}

TEST_CASE("there is a source for each origin, and each has advice") {
  const Scratch scratch;
  const CredentialBench bench;
  host::CredentialRequest asked = request(scratch);
  std::vector<host::CredentialSource> sources = host::credential_sources(asked, bench.ports);
  // An index has no use for the variables of GitHub.
  CHECK(sources.size() == host::kCredentialOrigins.size() - 1);
  asked.use = host::CredentialUse::github;
  for (host::CredentialSource& source : host::credential_sources(asked, bench.ports)) {
    sources.push_back(std::move(source));
  }
  CHECK(sources.size() == host::kCredentialOrigins.size() + 2);
  for (const host::CredentialSource& source : sources) {
    CHECK_FALSE(source.advice.empty());
    REQUIRE(source.ask);
    CHECK_FALSE(*source.ask());
  }
}

TEST_CASE("a .pypirc is read as Python reads it, by name and else by URL") {
  const Scratch scratch;
  scratch.write(".pypirc",
                "; comment\n[distutils]\nindex-servers =\n    other\n"
                "[other]\nRepository: https://a.example/legacy\n"
                "username = me\npassword: se=cr:et%x\n");
  const auto found = find(request(scratch));
  REQUIRE(found);
  CHECK(found->user == "me");
  CHECK(found->password.reveal() == "se=cr:et%x");
}

TEST_CASE("without any token the error names all four sources") {
  const Scratch scratch;
  const Scratch elsewhere;
  scratch.write(".pypirc", "[other]\npassword = x\n");
  host::CredentialRequest homeless = request(scratch);
  homeless.variables.clear();
  for (const auto& asked : {request(scratch), request(elsewhere), homeless}) {
    const auto found = find(asked);
    REQUIRE_FALSE(found);
    CHECK(found.error().kind == ErrorKind::usage);
    CHECK(found.error().hint ==
          "set PINWHEEL_TOKEN_MY_INDEX, pass --token-file FILE, add a section `[my-index]` to "
          "~/.pypirc, or publish from a CI job that the index trusts; for an index that needs "
          "none, use `auth: none` in the matrix or --no-auth");
  }
}

TEST_CASE("a configured but empty source is an error, and no other source is tried") {
  const Scratch scratch;
  host::CredentialRequest asked = request(scratch);
  asked.token_file = scratch.path() / "missing";
  CHECK(find(asked).error().kind == ErrorKind::config);
  asked.token_file = scratch.write("empty", " \n");
  CHECK(find(asked).error().kind == ErrorKind::config);
  asked.token_file.clear();
  scratch.write(".pypirc", "[my-index]\nusername = me\n");
  CHECK(find(asked).error().kind == ErrorKind::config);
}

TEST_CASE("no source is asked for a token that would be sent without encryption") {
  const Scratch home;
  host::CredentialRequest asked = request(home);
  asked.variables["PINWHEEL_TOKEN_MY_INDEX"] = "a-long-token";
  asked.endpoint = *publish::endpoint("http://a.example/legacy/");
  const auto refused = find(asked);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().message ==
        "a token for `my-index` would be sent without encryption to `a.example`");
  asked.plain_http = PlainHttp::allowed;
  CHECK(find(asked));
  asked.plain_http = PlainHttp::refused;
  asked.endpoint = *publish::endpoint("http://127.0.0.1:8080/legacy/");
  CHECK(find(asked));
}
