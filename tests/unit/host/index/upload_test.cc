#include "host/index/upload.h"

#include <algorithm>

#include "unit/host/index/upload_bench.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;
using publish::Artifact;
using publish::FileKind;
using publish::Outcome;

TEST_CASE("wheels are sent by name, the sdist last, with an event before and after each") {
  UploadBench bench;
  const auto outcomes = bench.upload(bench.release());
  REQUIRE(outcomes);
  CHECK(bench.sent() ==
        std::vector<std::string>{"demo_ops-1.0-cp312-cp312-manylinux_2_28_x86_64.whl",
                                 "demo_ops-1.0-py3-none-any.whl", "demo_ops-1.0.tar.gz"});
  CHECK(bench.journal ==
        std::vector<std::string>{"sending demo_ops-1.0-cp312-cp312-manylinux_2_28_x86_64.whl 1/3 1",
                                 "sent demo_ops-1.0-cp312-cp312-manylinux_2_28_x86_64.whl 1/3 1",
                                 "sending demo_ops-1.0-py3-none-any.whl 2/3 1",
                                 "sent demo_ops-1.0-py3-none-any.whl 2/3 1",
                                 "sending demo_ops-1.0.tar.gz 3/3 1",
                                 "sent demo_ops-1.0.tar.gz 3/3 1"});
  CHECK(bench.waits.empty());
}

TEST_CASE("the same bytes again are success and are not sent again") {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {}, {"--json"}, {"--hash", "md5"}, {"--hash", "none", "--json"}}) {
    UploadBench bench(arguments);
    REQUIRE(bench.upload(bench.release()));
    const auto again = bench.upload(bench.release());
    REQUIRE(again);
    for (const host::FileOutcome& outcome : *again) {
      CHECK(outcome.outcome == Outcome::identical);
      CHECK(outcome.attempts == 0);
    }
    REQUIRE(bench.journal.size() == 9);
    CHECK(bench.journal.back() == "already_there demo_ops-1.0.tar.gz 3/3 0");
    CHECK(bench.log().size() == 3);
  }
}

TEST_CASE("a re-cut is sent only if the index has its version, and each number once") {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{}, {"--json"}, {"--hash", "none"}}) {
    UploadBench bench(arguments);
    const Artifact recut = bench.file("demo_ops-1.0-1-py3-none-any.whl");
    bench.build_number = 1;
    const auto refused = bench.upload({recut});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::publish);
    CHECK(refused.error().message ==
          "`local` has no file of `demo-ops` 1.0, so there is nothing to re-cut with build number "
          "1");
    CHECK(bench.sent().empty());
    bench.build_number = 0;
    REQUIRE(bench.upload(bench.release()));
    bench.build_number = 1;
    CHECK(bench.upload({recut})->front().outcome == Outcome::uploaded);
    CHECK(bench.upload({recut})->front().outcome == Outcome::identical);
    const Artifact other = bench.file(recut.filename, FileKind::wheel, "other");
    const auto conflict = bench.upload({other});
    REQUIRE_FALSE(conflict);
    CHECK(conflict.error().kind == ErrorKind::publish);
    CHECK(conflict.error().hint == "a file name is never reused: use a higher build number");
    REQUIRE(conflict.error().causes.size() == 1);
    CHECK(conflict.error().causes[0].hint.empty());
    CHECK(bench.sent().size() == 4);
  }
}

TEST_CASE(
    "different bytes with the same names are conflicts, all reported before anything is sent") {
  UploadBench bench;
  const Artifact wheel = bench.file("demo_ops-1.0-py3-none-any.whl");
  const Artifact sdist = bench.file("demo_ops-1.0.tar.gz", FileKind::sdist);
  REQUIRE(bench.upload({wheel, sdist}));
  const Artifact other_wheel = bench.file(wheel.filename, FileKind::wheel, "!");
  const Artifact other_sdist = bench.file(sdist.filename, FileKind::sdist, "!");
  const auto result = bench.upload(
      {other_wheel, other_sdist, bench.file("demo_ops-1.0-cp312-abi3-manylinux_2_28_x86_64.whl")});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::publish);
  REQUIRE(result.error().causes.size() == 2);
  const std::string text = render(result.error());
  CHECK(text.find(wheel.sha256) != std::string::npos);
  CHECK(text.find(other_wheel.sha256) != std::string::npos);
  CHECK(text.find(other_sdist.sha256) != std::string::npos);
  CHECK(bench.log().size() == 2);
}

TEST_CASE("a second project's files are looked up on its own page and sent before the sdist") {
  UploadBench bench;
  std::vector<Artifact> files = bench.release();
  const Artifact cpu = bench.file("demo_ops_cpu-1.0-py3-none-any.whl");
  files.insert(files.begin(), cpu);
  REQUIRE(bench.upload(files));
  CHECK(bench.sent() == std::vector<std::string>{
                            "demo_ops-1.0-cp312-cp312-manylinux_2_28_x86_64.whl",
                            "demo_ops-1.0-py3-none-any.whl", cpu.filename, "demo_ops-1.0.tar.gz"});
  REQUIRE(bench.upload(files));
  CHECK(bench.log().size() == 4);
}

TEST_CASE("a conflict in the second project prevents sending the first") {
  UploadBench bench;
  const Artifact cpu = bench.file("demo_ops_cpu-1.0-py3-none-any.whl");
  REQUIRE(bench.upload({cpu}));
  std::vector<Artifact> files = bench.release();
  files.push_back(bench.file(cpu.filename, FileKind::wheel, "!"));
  const auto result = bench.upload(files);
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::publish);
  REQUIRE(result.error().causes.size() == 1);
  CHECK(result.error().causes.front().message.find(cpu.filename) != std::string::npos);
  CHECK(bench.log().size() == 1);
}

TEST_CASE("files for a release that PyPI has closed are reported before anything is sent") {
  const UploadBench bench;
  const Artifact wheel = bench.file("demo_ops-1.0-py3-none-any.whl");
  ScriptedHttp http;
  const std::string json =
      R"({"meta":{"api-version":"1.1"},"name":"demo-ops","files":[{"filename":"demo_ops-1.0.tar.gz",)"
      R"("url":"x","hashes":{"sha256":"ab"},"upload-time":"2026-08-01T00:00:00Z"}]})";
  http.replies["https://pypi.org/simple/demo-ops/"] = {
      200, "", {{"content-type", "application/vnd.pypi.simple.v1+json"}}, json};
  const host::UploadTarget target{"pypi", publish::pypi(),
                                  ports::BasicCredentials{"__token__", Secret(kToken)}};
  std::chrono::sys_days today{std::chrono::year(2026) / 8 / 20};
  host::UploadHooks hooks;
  hooks.sleep = [](std::chrono::milliseconds) { return true; };
  hooks.now = [&today] { return std::chrono::system_clock::time_point(today); };
  const auto late = host::upload_release({wheel}, target, {}, http, hooks);
  REQUIRE_FALSE(late);
  REQUIRE(late.error().causes.size() == 1);
  CHECK(late.error().causes.front().message.find("is too late") != std::string::npos);
  CHECK(http.asked.size() == 1);
  today = std::chrono::year(2026) / 8 / 2;
  http.replies[publish::pypi().upload_url] = {200, "", {}, ""};
  host::UploadOptions options;
  options.confirm = host::Confirm::none;
  CHECK(host::upload_release({wheel}, target, options, http, hooks));
}

TEST_CASE("a late token is exchanged once, after the preflight and before the first request") {
  UploadBench bench;
  std::vector<std::string> events;
  host::UploadTarget target{"local", *publish::endpoint(bench.index.url() + "/")};
  target.credentials = [&]() -> Result<host::ExchangedCredentials> {
    events.push_back(fmt::format("exchanged after {} requests", bench.log().size()));
    return host::ExchangedCredentials{{"__token__", Secret(kToken)}};
  };
  host::UploadHooks hooks;
  hooks.sleep = [](std::chrono::milliseconds) { return true; };
  host::CurlHttp http;
  Artifact unfit = bench.file("demo_ops-1.0-py3-none-any.whl");
  unfit.version = "2.0";
  CHECK(host::upload_release({unfit}, target, {}, http, hooks).error().kind == ErrorKind::check);
  CHECK(events.empty());
  const auto outcomes = host::upload_release(bench.release(), target, {}, http, hooks);
  REQUIRE(outcomes);
  CHECK(events == std::vector<std::string>{"exchanged after 0 requests"});
  CHECK(bench.sent().size() == 3);
}

TEST_CASE("a token that ends during an upload is replaced before the next file, and revoked") {
  UploadBench bench;
  std::chrono::system_clock::time_point now{std::chrono::seconds(1'800'000'000)};
  int exchanged = 0;
  int revoked = 0;
  host::UploadTarget target{"local", *publish::endpoint(bench.index.url() + "/")};
  target.credentials = [&]() -> Result<host::ExchangedCredentials> {
    host::ExchangedCredentials made{{"__token__", Secret(kToken)}};
    made.fresh_for = std::chrono::minutes(10);
    made.revoke = [&revoked]() -> Done {
      ++revoked;
      return {};
    };
    // The first ends at once, and the second is busy.
    if (++exchanged == 2) return fail(ErrorKind::transient, "busy");
    return made;
  };
  host::UploadHooks hooks;
  hooks.sleep = [](std::chrono::milliseconds) { return true; };
  hooks.now = [&now] { return now; };
  hooks.event = [&now](const publish::UploadEvent& event) {
    if (event.stage == publish::UploadStage::sending) now += std::chrono::minutes(4);
  };
  host::CurlHttp http;
  REQUIRE(host::upload_release(bench.release(), target, {}, http, hooks));
  CHECK(bench.sent().size() == 3);
  CHECK(exchanged == 3);
  CHECK(revoked == 2);
}

TEST_CASE("an exchanged token is revoked when the upload fails") {
  UploadBench bench({"--plan", "400"});
  int revoked = 0;
  host::UploadTarget target{"local", *publish::endpoint(bench.index.url() + "/")};
  target.credentials = [&]() -> Result<host::ExchangedCredentials> {
    host::ExchangedCredentials made{{"__token__", Secret(kToken)}};
    made.revoke = [&revoked]() -> Done {
      ++revoked;
      return fail(ErrorKind::publish, "the index answers HTTP 404");
    };
    return made;
  };
  host::UploadHooks hooks;
  hooks.sleep = [](std::chrono::milliseconds) { return true; };
  hooks.notice = [&bench](std::string_view line) { bench.notices.emplace_back(line); };
  host::CurlHttp http;
  CHECK_FALSE(host::upload_release(bench.release(), target, {}, http, hooks));
  CHECK(revoked == 1);
  REQUIRE(bench.notices.size() == 1);
  CHECK(bench.notices.front().starts_with("warning: the upload token of `local` was not revoked"));
}

TEST_CASE("a token that cannot be exchanged ends the upload before the index is queried") {
  UploadBench bench;
  host::UploadTarget target{"pypi", publish::pypi()};
  target.credentials = []() -> Result<host::ExchangedCredentials> {
    return fail(ErrorKind::publish, "no token is given to this workflow");
  };
  ScriptedHttp http;
  const auto outcomes =
      host::upload_release({bench.file("demo_ops-1.0-py3-none-any.whl")}, target, {}, http, {});
  REQUIRE_FALSE(outcomes);
  CHECK(outcomes.error().message == "no token is given to this workflow");
  CHECK(http.asked.empty());
}

TEST_CASE("an index that responds with 500 and then 200 has the file") {
  UploadBench bench({"--plan", "500,ok"});
  const auto outcomes = bench.upload({bench.file("demo_ops-1.0-py3-none-any.whl")});
  REQUIRE(outcomes);
  CHECK(outcomes->front().outcome == Outcome::uploaded);
  CHECK(outcomes->front().attempts == 2);
  CHECK(bench.log().size() == 2);
  CHECK(bench.waits.size() == 1);
  REQUIRE(bench.notices.size() == 1);
  CHECK(bench.notices.front().find("HTTP 500 (planned 500)") != std::string::npos);
}

TEST_CASE("an index that fails in the middle of the body gets the file again") {
  UploadBench bench({"--plan", "cut,ok"});
  const auto outcomes = bench.upload({bench.file("demo_ops-1.0-py3-none-any.whl")});
  REQUIRE(outcomes);
  CHECK(outcomes->front().attempts == 2);
}

TEST_CASE("a file that arrived without a response is found by its hash and not sent again") {
  for (const char* step : {"lost", "lost-504", "lost-400", "lost-409"}) {
    UploadBench bench({"--plan", step});
    const auto outcomes = bench.upload({bench.file("demo_ops-1.0-py3-none-any.whl")});
    REQUIRE(outcomes);
    CHECK(outcomes->front().attempts == 1);
    CHECK(bench.log().size() == 1);
    CHECK(bench.journal.front() == "sending demo_ops-1.0-py3-none-any.whl 1/1 1");
    REQUIRE(bench.journal.size() == 2);
  }
}

TEST_CASE("a wrong token ends the upload immediately and appears in no message") {
  const std::string wrong = "pypi-wrong-canary";
  UploadBench bench({"--echo-token", wrong});
  const auto result = bench.upload(bench.release(), wrong);
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::publish);
  CHECK(bench.log().size() == 1);
  CHECK(bench.waits.empty());
  const std::string text = render(result.error());
  CHECK(text.find("HTTP 403") != std::string::npos);
  CHECK(text.find("***") != std::string::npos);
  CHECK(text.find(wrong) == std::string::npos);
  CHECK(text.find(base64("__token__:" + wrong)) == std::string::npos);
}

TEST_CASE("a token that is echoed where the message is cut is hidden, also in a warning") {
  const UploadBench bench;
  const std::string token = "pypi-" + std::string(200, 'k');
  const host::UploadTarget target{"local", *publish::endpoint("https://a.example/legacy/"),
                                  ports::BasicCredentials{"__token__", Secret(token)}};
  host::UploadOptions options;
  options.confirm = host::Confirm::none;
  ScriptedHttp http;
  const std::string long_text = std::string(450, 'x') + token;
  const auto upload = [&](int status) {
    http.replies["https://a.example/legacy/"] = {
        status, "", {{"content-type", "text/plain"}}, long_text};
    return host::upload_release({bench.file("demo_ops-1.0-py3-none-any.whl")}, target, options,
                                http, {});
  };
  const auto refused = upload(403);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("x***)") != std::string::npos);
  CHECK(render(refused.error()).find("kk") == std::string::npos);
  const auto warned = upload(200);
  REQUIRE(warned);
  CHECK(warned->front().message == std::string(450, 'x') + "***");
}

TEST_CASE("a token echoed in the reason for a retry is masked in the notices") {
  const std::string wrong = "pypi-wrong-canary";
  UploadBench bench({"--plan", "echo-500,echo-500,echo-500", "--echo-token", wrong});
  const auto result = bench.upload(bench.release(), wrong);
  REQUIRE_FALSE(result);
  REQUIRE(bench.notices.size() == 2);
  for (const std::string& line : bench.notices) {
    CHECK(line.find("***") != std::string::npos);
    CHECK(line.find(wrong) == std::string::npos);
  }
}

TEST_CASE("retries are counted, randomized and honor the server's delay up to a limit") {
  UploadBench bench({"--plan", "429,503,500"});
  const auto result = bench.upload({bench.file("demo_ops-1.0-py3-none-any.whl")});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::publish);
  CHECK(bench.log().size() == 3);
  CHECK(bench.waits ==
        std::vector<std::chrono::milliseconds>{std::chrono::seconds(2), std::chrono::seconds(4)});
  REQUIRE(result.error().causes.size() == 1);
  CHECK(result.error().causes.front().message.find("HTTP 500") != std::string::npos);
}

TEST_CASE("a rejected file ends the upload; earlier files are done") {
  UploadBench bench({"--plan", "ok,400"});
  const auto result = bench.upload(bench.release());
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::publish);
  CHECK(result.error().message.find("planned 400") != std::string::npos);
  CHECK(bench.journal.size() == 3);
  CHECK(bench.journal[1] == "sent demo_ops-1.0-cp312-cp312-manylinux_2_28_x86_64.whl 1/3 1");
  CHECK(bench.upload(bench.release()));
}

TEST_CASE("a redirect is an error with its target") {
  UploadBench bench({"--plan", "redirect"});
  const auto result = bench.upload({bench.file("demo_ops-1.0-py3-none-any.whl")});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::publish);
  CHECK(result.error().message.ends_with("moved to `" + bench.index.url() + "/moved/`"));
  CHECK(bench.log().size() == 1);
}

TEST_CASE("a stop while waiting ends the upload") {
  UploadBench bench({"--plan", "500"});
  bench.stopped = true;
  const auto result = bench.upload({bench.file("demo_ops-1.0-py3-none-any.whl")});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::interrupted);
}

TEST_CASE("findings of the preflight are reported together, without a request to the index") {
  UploadBench bench;
  std::vector<Artifact> files = bench.release();
  files[1].name = "other";
  files[2].version = "2.0";
  const auto result = bench.upload(files);
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::check);
  CHECK(result.error().causes.size() == 3);
  CHECK(bench.log().empty());
  CHECK(bench.journal.empty());
}

namespace {

/// The values of the field `attestations` of each upload.
std::vector<std::string> attestations_sent(const UploadBench& bench) {
  std::vector<std::string> values;
  for (const auto& entry : bench.log()) {
    for (const auto& field : entry["fields"]) {
      if (field[0] == "attestations") values.push_back(field[1]);
    }
  }
  return values;
}

}  // namespace

TEST_CASE("only files that are sent without attestations are attested, before the first is sent") {
  UploadBench bench;
  const std::vector<Artifact> release = bench.release();
  REQUIRE(bench.upload({release[1]}));
  std::vector<Artifact> files = release;
  files[0].attestations = {{"{\"stored\":1}", std::string(publish::kPublishPredicate)}};
  std::vector<std::string> asked;
  size_t sent_before = 0;
  bench.attest = [&](const std::vector<Artifact>& unsigned_files) {
    sent_before = bench.log().size();
    host::FileAttestations made;
    for (const Artifact& file : unsigned_files) {
      asked.push_back(file.filename);
      made.push_back({{"{\"made\":1}", "p"}, {"{\"made\":2}", "q"}});
    }
    return Result<host::FileAttestations>(made);
  };
  REQUIRE(bench.upload(files));
  CHECK(asked == std::vector<std::string>{release[2].filename});
  CHECK(sent_before == 1);
  CHECK(attestations_sent(bench) ==
        std::vector<std::string>{"[{\"made\":1},{\"made\":2}]", "[{\"stored\":1}]"});
  REQUIRE(bench.upload(files));
  CHECK(asked.size() == 1);
}

TEST_CASE("nothing is sent if the files cannot be attested; a busy service is asked again") {
  UploadBench bench;
  int asked = 0;
  ErrorKind kind = ErrorKind::transient;
  bench.attest = [&](const std::vector<Artifact>&) -> Result<host::FileAttestations> {
    ++asked;
    return fail(kind, "no signature");
  };
  const auto busy = bench.upload(bench.release());
  REQUIRE_FALSE(busy);
  CHECK(busy.error().kind == ErrorKind::publish);
  CHECK(asked == 3);
  kind = ErrorKind::usage;
  const auto refused = bench.upload(bench.release());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(asked == 4);
  CHECK(bench.log().empty());
}
