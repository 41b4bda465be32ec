#include "host/index/upload_credentials.h"

#include <fmt/format.h>

#include "unit/catch.h"
#include "unit/host/index/upload_bench.h"

using namespace pinwheel;

namespace {

/// Issues numbered tokens that are fresh for 10 minutes, and records all events.
struct ExchangeBench {
  ExchangeBench() {
    target.credentials = host::CredentialExchange([this]() -> Result<host::ExchangedCredentials> {
      if (refuses) return fail(ErrorKind::publish, "no longer trusted");
      if (busy) return fail(ErrorKind::transient, "busy");
      const std::string token = fmt::format("token-{}-of-an-index", ++exchanged);
      events.push_back("exchanged " + token);
      host::ExchangedCredentials made{{"__token__", Secret(token)}};
      made.fresh_for = std::chrono::minutes(10);
      if (ends) made.ends = now + std::chrono::minutes(15);
      made.revoke = [this, token]() -> Done {
        events.push_back("revoked " + token);
        if (fails_to_revoke) return fail(ErrorKind::publish, "the index keeps " + token);
        return {};
      };
      return made;
    });
    hooks.now = [this] { return now; };
    hooks.notice = [this](std::string_view line) { events.emplace_back(line); };
  }
  ExchangeBench(const ExchangeBench&) = delete;
  ExchangeBench& operator=(const ExchangeBench&) = delete;

  int exchanged = 0;
  bool refuses = false;
  bool busy = false;
  bool ends = true;  ///< whether the index states when tokens expire
  bool fails_to_revoke = false;
  std::vector<std::string> events;
  std::chrono::system_clock::time_point now{std::chrono::seconds(1'800'000'000)};
  host::UploadTarget target{"pypi", publish::pypi()};
  host::UploadHooks hooks;
};

using Events = std::vector<std::string>;

}  // namespace

TEST_CASE("a token is exchanged when the upload opens and revoked when it ends") {
  ExchangeBench bench;
  {
    host::UploadCredentials credentials(bench.target, bench.hooks);
    CHECK(bench.events.empty());
    REQUIRE(credentials.open());
    CHECK(credentials.index().credentials->password.reveal() == "token-1-of-an-index");
    REQUIRE(credentials.renew());
    CHECK(bench.events == Events{"exchanged token-1-of-an-index"});
  }
  CHECK(bench.events == Events{"exchanged token-1-of-an-index", "revoked token-1-of-an-index"});
}

TEST_CASE("a token that is not fresh is replaced, revoked, and still hidden in messages") {
  ExchangeBench bench;
  {
    host::UploadCredentials credentials(bench.target, bench.hooks);
    REQUIRE(credentials.open());
    bench.now += std::chrono::minutes(9);
    REQUIRE(credentials.renew());
    CHECK(bench.exchanged == 1);
    bench.now += std::chrono::minutes(1);
    REQUIRE(credentials.renew());
    CHECK(credentials.index().credentials->password.reveal() == "token-2-of-an-index");
    REQUIRE(credentials.index().earlier.size() == 1);
    CHECK(credentials.index().earlier.front().password.reveal() == "token-1-of-an-index");
    bench.now += std::chrono::minutes(10);
    bench.refuses = true;
    CHECK(credentials.renew().error().message == "no longer trusted");
  }
  CHECK(bench.events == Events{"exchanged token-1-of-an-index", "exchanged token-2-of-an-index",
                               "revoked token-1-of-an-index", "revoked token-2-of-an-index"});
}

TEST_CASE("a token that cannot be replaced for now is used until it ends") {
  ExchangeBench bench;
  host::UploadCredentials credentials(bench.target, bench.hooks);
  REQUIRE(credentials.open());
  bench.busy = true;
  bench.now += std::chrono::minutes(10);
  REQUIRE(credentials.renew());
  CHECK(credentials.index().credentials->password.reveal() == "token-1-of-an-index");
  CHECK(
      bench.events ==
      Events{"exchanged token-1-of-an-index",
             "the upload token of `pypi` could not be renewed and is used until it expires: busy"});
  // The next file.
  bench.busy = false;
  bench.now += std::chrono::minutes(1);
  REQUIRE(credentials.renew());
  CHECK(credentials.index().credentials->password.reveal() == "token-2-of-an-index");
  bench.busy = true;
  bench.now += std::chrono::minutes(15);
  CHECK(credentials.renew().error().kind == ErrorKind::transient);
}

TEST_CASE("a token whose end nobody knows is replaced in time or not used") {
  ExchangeBench bench;
  bench.ends = false;
  host::UploadCredentials credentials(bench.target, bench.hooks);
  REQUIRE(credentials.open());
  bench.busy = true;
  bench.now += std::chrono::minutes(10);
  CHECK(credentials.renew().error().kind == ErrorKind::transient);
}

TEST_CASE("a token that could not be revoked is a warning without the token") {
  ExchangeBench bench;
  bench.fails_to_revoke = true;
  {
    host::UploadCredentials credentials(bench.target, bench.hooks);
    REQUIRE(credentials.open());
  }
  CHECK(bench.events.back() ==
        "warning: the upload token of `pypi` was not revoked, and expires within minutes: the "
        "index keeps ***");
}

TEST_CASE("an exchanged token that the index refuses is replaced once for a file") {
  struct Case {
    std::vector<std::string> tokens;  ///< the last one again and again
    bool renewable = true;
    int exchanged = 0;
    bool published = false;
  };
  const std::string ended = "pypi-ended-canary";
  for (const Case& each :
       {Case{{ended, kToken}, true, 2, true}, Case{{ended, ended, kToken}, true, 2, false},
        Case{{ended, kToken}, false, 1, false}}) {
    UploadBench bench;
    int exchanged = 0;
    host::UploadTarget target{"local", *publish::endpoint(bench.index.url() + "/")};
    target.credentials = [&]() -> Result<host::ExchangedCredentials> {
      host::ExchangedCredentials made{{"__token__", Secret(each.tokens.at(exchanged++))}};
      if (each.renewable) made.fresh_for = std::chrono::minutes(10);
      made.advice = "the project needs a publisher";
      return made;
    };
    host::UploadHooks hooks;
    hooks.sleep = [](std::chrono::milliseconds) { return true; };
    hooks.now = [] { return std::chrono::system_clock::time_point(std::chrono::hours(500'000)); };
    host::CurlHttp http;
    const auto outcomes = host::upload_release({bench.file("demo_ops-1.0-py3-none-any.whl")},
                                               target, {}, http, hooks);
    CHECK(outcomes.has_value() == each.published);
    if (!outcomes) CHECK(outcomes.error().hint == "the project needs a publisher");
    CHECK(exchanged == each.exchanged);
  }
}

TEST_CASE("a token that the index refuses at the last attempt is replaced all the same") {
  UploadBench bench;
  int exchanged = 0;
  host::UploadTarget target{"local", *publish::endpoint(bench.index.url() + "/")};
  target.credentials = [&]() -> Result<host::ExchangedCredentials> {
    const std::string token = ++exchanged == 1 ? "pypi-ended-canary" : kToken;
    host::ExchangedCredentials made{{"__token__", Secret(token)}};
    made.fresh_for = std::chrono::minutes(10);
    return made;
  };
  host::UploadOptions options;
  options.attempts = 1;
  host::UploadHooks hooks;
  hooks.sleep = [](std::chrono::milliseconds) { return false; };
  hooks.now = [] { return std::chrono::system_clock::time_point(std::chrono::hours(500'000)); };
  host::CurlHttp http;
  const auto outcomes = host::upload_release({bench.file("demo_ops-1.0-py3-none-any.whl")}, target,
                                             options, http, hooks);
  REQUIRE(outcomes);
  CHECK(outcomes->front().attempts == 2);
  CHECK(exchanged == 2);
}

TEST_CASE("a token of the user is neither exchanged again nor revoked") {
  ExchangeBench bench;
  bench.target.credentials = ports::BasicCredentials{"me", Secret("pass-word")};
  {
    host::UploadCredentials credentials(bench.target, bench.hooks);
    REQUIRE(credentials.open());
    bench.now += std::chrono::hours(1);
    REQUIRE(credentials.renew());
    CHECK(credentials.index().credentials->user == "me");
  }
  bench.target.credentials.reset();
  host::UploadCredentials none(bench.target, bench.hooks);
  REQUIRE(none.open());
  CHECK_FALSE(none.index().credentials);
  CHECK(bench.events.empty());
}
