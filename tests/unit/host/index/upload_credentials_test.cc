#include "host/index/upload_credentials.h"

#include <fmt/format.h>

#include "unit/catch.h"
#include "unit/host/index/upload_bench.h"

using namespace pinwheel;

namespace {

/// Mints numbered tokens that are fresh for 10 minutes, and records what happens.
struct MintBench {
  MintBench() {
    target.credentials = host::MintCredentials([this]() -> Result<host::MintedCredentials> {
      if (refuses) return fail(ErrorKind::publish, "no longer trusted");
      if (busy) return fail(ErrorKind::transient, "busy");
      const std::string token = fmt::format("token-{}-of-an-index", ++minted);
      told.push_back("minted " + token);
      host::MintedCredentials made{{"__token__", Secret(token)}};
      made.fresh_for = std::chrono::minutes(10);
      if (ends) made.ends = now + std::chrono::minutes(15);
      made.burn = [this, token]() -> Done {
        told.push_back("burnt " + token);
        if (keeps) return fail(ErrorKind::publish, "the index keeps " + token);
        return {};
      };
      return made;
    });
    hooks.now = [this] { return now; };
    hooks.notice = [this](std::string_view line) { told.emplace_back(line); };
  }
  MintBench(const MintBench&) = delete;
  MintBench& operator=(const MintBench&) = delete;

  int minted = 0;
  bool refuses = false;
  bool busy = false;
  bool ends = true;  ///< whether the index says when tokens end
  bool keeps = false;
  std::vector<std::string> told;
  std::chrono::system_clock::time_point now{std::chrono::seconds(1'800'000'000)};
  host::UploadTarget target{"pypi", publish::pypi()};
  host::UploadHooks hooks;
};

using Told = std::vector<std::string>;

}  // namespace

TEST_CASE("a token is minted when the upload opens and burnt when it ends") {
  MintBench bench;
  {
    host::UploadCredentials credentials(bench.target, bench.hooks);
    CHECK(bench.told.empty());
    REQUIRE(credentials.open());
    CHECK(credentials.index().credentials->password.reveal() == "token-1-of-an-index");
    REQUIRE(credentials.renew());
    CHECK(bench.told == Told{"minted token-1-of-an-index"});
  }
  CHECK(bench.told == Told{"minted token-1-of-an-index", "burnt token-1-of-an-index"});
}

TEST_CASE("a token that is not fresh is replaced, burnt, and still hidden in messages") {
  MintBench bench;
  {
    host::UploadCredentials credentials(bench.target, bench.hooks);
    REQUIRE(credentials.open());
    bench.now += std::chrono::minutes(9);
    REQUIRE(credentials.renew());
    CHECK(bench.minted == 1);
    bench.now += std::chrono::minutes(1);
    REQUIRE(credentials.renew());
    CHECK(credentials.index().credentials->password.reveal() == "token-2-of-an-index");
    REQUIRE(credentials.index().earlier.size() == 1);
    CHECK(credentials.index().earlier.front().password.reveal() == "token-1-of-an-index");
    bench.now += std::chrono::minutes(10);
    bench.refuses = true;
    CHECK(credentials.renew().error().message == "no longer trusted");
  }
  CHECK(bench.told == Told{"minted token-1-of-an-index", "minted token-2-of-an-index",
                           "burnt token-1-of-an-index", "burnt token-2-of-an-index"});
}

TEST_CASE("a token that cannot be replaced for now is used until it ends") {
  MintBench bench;
  host::UploadCredentials credentials(bench.target, bench.hooks);
  REQUIRE(credentials.open());
  bench.busy = true;
  bench.now += std::chrono::minutes(10);
  REQUIRE(credentials.renew());
  CHECK(credentials.index().credentials->password.reveal() == "token-1-of-an-index");
  CHECK(bench.told ==
        Told{"minted token-1-of-an-index",
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
  MintBench bench;
  bench.ends = false;
  host::UploadCredentials credentials(bench.target, bench.hooks);
  REQUIRE(credentials.open());
  bench.busy = true;
  bench.now += std::chrono::minutes(10);
  CHECK(credentials.renew().error().kind == ErrorKind::transient);
}

TEST_CASE("a token that could not be burnt is a warning without the token") {
  MintBench bench;
  bench.keeps = true;
  {
    host::UploadCredentials credentials(bench.target, bench.hooks);
    REQUIRE(credentials.open());
  }
  CHECK(bench.told.back() ==
        "warning: the upload token of `pypi` was not revoked, and expires within minutes: the "
        "index keeps ***");
}

TEST_CASE("a minted token that the index refuses is replaced once for a file") {
  struct Case {
    std::vector<std::string> tokens;  ///< the last one again and again
    bool renewable = true;
    int minted = 0;
    bool published = false;
  };
  const std::string ended = "pypi-ended-canary";
  for (const Case& each :
       {Case{{ended, kToken}, true, 2, true}, Case{{ended, ended, kToken}, true, 2, false},
        Case{{ended, kToken}, false, 1, false}}) {
    UploadBench bench;
    int minted = 0;
    host::UploadTarget target{"local", *publish::endpoint(bench.index.url() + "/")};
    target.credentials = [&]() -> Result<host::MintedCredentials> {
      host::MintedCredentials made{{"__token__", Secret(each.tokens.at(minted++))}};
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
    CHECK(minted == each.minted);
  }
}

TEST_CASE("a token that the index refuses at the last attempt is replaced all the same") {
  UploadBench bench;
  int minted = 0;
  host::UploadTarget target{"local", *publish::endpoint(bench.index.url() + "/")};
  target.credentials = [&]() -> Result<host::MintedCredentials> {
    const std::string token = ++minted == 1 ? "pypi-ended-canary" : kToken;
    host::MintedCredentials made{{"__token__", Secret(token)}};
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
  CHECK(minted == 2);
}

TEST_CASE("a token of the user is neither minted anew nor burnt") {
  MintBench bench;
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
  CHECK(bench.told.empty());
}
