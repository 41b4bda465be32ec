#include "session/export_trace.h"

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>

#include "plan/trace_context.h"
#include "unit/session/run_world.h"
#include "wheel/deflate.h"

namespace pinwheel::session {
namespace {

using Texts = std::vector<std::string>;
using Json = nlohmann::json;

constexpr const char* kCaller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// A collector with these replies, of which the last one stays.
class Collector final : public ports::Http {
 public:
  std::deque<tl::expected<ports::HttpResponse, ports::HttpFailure>> replies = {
      ports::HttpResponse{200}};
  std::vector<ports::HttpRequest> asked = {};
  std::vector<std::chrono::milliseconds> waits = {};

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override {
    asked.push_back(request);
    auto reply = replies.front();
    if (replies.size() > 1) replies.pop_front();
    return reply;
  }
  void wait(std::chrono::milliseconds delay) override { waits.push_back(delay); }
};

struct TracedWorld : RunWorld {
  std::shared_ptr<Collector> collector = std::make_shared<Collector>();
  Texts parents = {};  ///< the TRACEPARENT of each attempt
  Texts states = {};   ///< the TRACESTATE

  TracedWorld() {
    host.variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://localhost:4318";
    host.variables["RUNNER_NAME"] = "one";
    host.http = [this](host::HttpOptions, ports::LogHandle, std::stop_token) { return collector; };
    host.perform = [this, inner = fake.host.perform](const host::Workplace& workplace,
                                                     const run::Attempt& attempt,
                                                     std::stop_token stop) {
      parents.push_back(attempt.trace.parent);
      states.push_back(attempt.trace.state);
      return inner(workplace, attempt, std::move(stop));
    };
  }

  std::vector<Json> spans() const {
    std::vector<Json> all;
    for (const ports::HttpRequest& request : collector->asked) {
      const Json json = Json::parse(request.body);
      for (const Json& span : json["resourceSpans"][0]["scopeSpans"][0]["spans"]) {
        all.push_back(span);
      }
    }
    return all;
  }
  Json span(const std::string& name) const {
    for (const Json& each : spans()) {
      if (each["name"] == name) return each;
    }
    return nullptr;
  }
};

TEST_CASE("without an endpoint nothing is sent, and steps have no trace") {
  TracedWorld world;
  world.host.variables.erase("OTEL_EXPORTER_OTLP_ENDPOINT");
  CHECK(world.code() == 0);
  CHECK(world.collector->asked.empty());
  CHECK(world.parents == Texts{"", ""});
}

TEST_CASE("a run is exported at its end, and its processes get the spans of their attempts") {
  TracedWorld world;
  CHECK(world.code() == 0);
  REQUIRE(world.collector->asked.size() == 1);
  const ports::HttpRequest& request = world.collector->asked[0];
  CHECK(request.method == "POST");
  CHECK(request.url == "http://localhost:4318/v1/traces");
  CHECK(request.headers ==
        std::vector<std::pair<std::string, std::string>>{{"Content-Type", "application/json"}});
  const Json run = world.span("pinwheel test");
  CHECK_FALSE(run.contains("parentSpanId"));
  const Json build = world.span("build:x");
  CHECK(build["parentSpanId"] == run["spanId"]);
  CHECK(world.span("test:x")["links"][0]["spanId"] == build["spanId"]);
  REQUIRE(world.parents.size() == 2);
  Json attempt;
  for (const Json& span : world.spans()) {
    if (span.value("parentSpanId", "") == build["spanId"]) attempt = span;
  }
  CHECK(world.parents[0] ==
        plan::traceparent({run["traceId"]}, attempt["spanId"].get<std::string>()));
  CHECK(world.states == Texts{"", ""});
  CHECK(world.parents[0] != world.parents[1]);
  CHECK(world.console.warnings.empty());
}

TEST_CASE("the trace of the caller is continued") {
  TracedWorld world;
  world.host.variables["TRACEPARENT"] = kCaller;
  world.host.variables["TRACESTATE"] = " vendor=1,other=a:b ";
  CHECK(world.code() == 0);
  CHECK(world.span("pinwheel test")["parentSpanId"] == "b7ad6b7169203331");
  CHECK(world.states == Texts{"vendor=1,other=a:b", "vendor=1,other=a:b"});
  for (const Json& span : world.spans()) {
    CHECK(span["traceId"] == "0af7651916cd43dd8448eb211c80319c");
    CHECK(span["traceState"] == "vendor=1,other=a:b");
  }
}

TEST_CASE("a trace that the caller does not sample is passed on, and not exported") {
  TracedWorld world;
  world.host.variables["TRACEPARENT"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
  CHECK(world.code() == 0);
  CHECK(world.collector->asked.empty());
  REQUIRE(world.parents.size() == 2);
  CHECK(world.parents[0].ends_with("-00"));
}

TEST_CASE("a malformed TRACEPARENT is a warning, and a new trace begins") {
  TracedWorld world;
  world.host.variables["TRACEPARENT"] = "00-0-0-01";
  CHECK(world.code() == 0);
  CHECK(world.console.warnings ==
        Texts{"`TRACEPARENT` is malformed, so a new trace begins: `00-0-0-01`"});
  CHECK_FALSE(world.span("pinwheel test").contains("parentSpanId"));
}

TEST_CASE("jobs of a CI run or of a frozen plan share a trace, other runs do not") {
  const auto trace_of = [](const std::map<std::string, std::string>& variables,
                           const std::string& plan, const std::string& worker,
                           const std::string& run) {
    TracedWorld world;
    world.host.variables.insert(variables.begin(), variables.end());
    world.host.variables["RUNNER_NAME"] = worker;
    world.request.facts.plan = plan;
    world.request.workplace.logs = world.scratch.path() / "logs" / run;
    CHECK(world.code() == 0);
    return world.span("pinwheel test")["traceId"].get<std::string>();
  };
  const std::map<std::string, std::string> job = {{"GITHUB_RUN_ID", "7"},
                                                  {"GITHUB_RUN_ATTEMPT", "1"}};
  std::map<std::string, std::string> again = job;
  again["GITHUB_RUN_ATTEMPT"] = "2";
  const std::string first = trace_of(job, "plan", "one", "a");
  CHECK(trace_of(job, "plan", "two", "b") == first);
  CHECK(trace_of(again, "plan", "one", "a") != first);
  CHECK(trace_of(job, "other plan", "one", "a") != first);
  CHECK(trace_of({}, "plan", "one", "a") == trace_of({}, "plan", "two", "b"));
  CHECK(trace_of({}, "", "one", "a") != trace_of({}, "", "one", "b"));
  // A child pipeline of GitLab belongs to the run of its parent.
  const std::string parent = trace_of({{"CI_PIPELINE_ID", "7"}}, "plan", "one", "a");
  std::map<std::string, std::string> child = {{"CI_PIPELINE_ID", "8"},
                                              {"PARENT_PIPELINE_ID", "7"},
                                              {"CI_PIPELINE_SOURCE", "parent_pipeline"}};
  CHECK(trace_of(child, "plan", "two", "b") == parent);
  child["CI_PIPELINE_SOURCE"] = "push";
  CHECK(trace_of(child, "plan", "two", "b") != parent);
}

TEST_CASE("a busy collector is asked again, as it wishes") {
  TracedWorld world;
  world.collector->replies = {
      ports::HttpResponse{503, "", {{"retry-after", "2"}}}, ports::HttpResponse{429},
      tl::unexpected(ports::HttpFailure{{ErrorKind::transient, "cut"}}), ports::HttpResponse{200}};
  CHECK(world.code() == 0);
  CHECK(world.collector->asked.size() == 4);
  CHECK(world.collector->waits ==
        std::vector<std::chrono::milliseconds>{std::chrono::milliseconds(2000),
                                               std::chrono::milliseconds(1000),
                                               std::chrono::milliseconds(2000)});
  CHECK(world.console.warnings.empty());
}

TEST_CASE("a collector that asks to wait past the time limit is not asked again") {
  TracedWorld world;
  world.collector->replies = {ports::HttpResponse{503, "", {{"retry-after", "60"}}}};
  CHECK(world.code() == 0);
  CHECK(world.collector->asked.size() == 1);
  CHECK(world.console.warnings.size() == 1);
}

TEST_CASE("a failed export is a warning, and the exit code is that of the run") {
  const auto failing = [](tl::expected<ports::HttpResponse, ports::HttpFailure> reply) {
    TracedWorld world;
    world.collector->replies = {std::move(reply)};
    CHECK(world.code() == 0);
    REQUIRE(world.console.warnings.size() == 1);
    return world.console.warnings[0];
  };
  CHECK(failing(ports::HttpResponse{500, "Broken"}) ==
        "the trace was not exported to `http://localhost:4318/v1/traces`: HTTP 500 (Broken)");
  CHECK(failing(ports::HttpResponse{302}).ends_with("HTTP 302"));
  CHECK(failing(tl::unexpected(ports::HttpFailure{{ErrorKind::environment, "no host"}}))
            .ends_with(": no host"));
  TracedWorld world;
  world.fake.performed = fail(ErrorKind::step, "a compiler failed");
  world.collector->replies = {ports::HttpResponse{400}};
  CHECK(world.code() == exit_code(ErrorKind::step));
}

TEST_CASE("a failed run is exported with its error") {
  TracedWorld world;
  world.fake.performed = fail(ErrorKind::step, "a compiler failed");
  CHECK(world.code() == exit_code(ErrorKind::step));
  CHECK(world.span("build:x")["status"]["message"] == "a compiler failed");
}

TEST_CASE("spans that the collector rejects are a warning") {
  const auto warnings = [](const std::string& body) {
    TracedWorld world;
    world.collector->replies = {ports::HttpResponse{200, "", {}, body}};
    CHECK(world.code() == 0);
    return world.console.warnings;
  };
  CHECK(warnings(R"({"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too old"}})") ==
        Texts{"`http://localhost:4318/v1/traces` rejected spans of the trace (3): too old"});
  CHECK(warnings(R"({"partialSuccess": {"rejectedSpans": 0, "errorMessage": "note"}})").size() ==
        1);
  for (const char* const body : {"", "{}", "not JSON", R"({"partialSuccess": {}})", "[1]",
                                 R"({"partialSuccess": {"rejectedSpans": "0"}})"}) {
    CHECK(warnings(body).empty());
  }
}

TEST_CASE("headers are sent, hidden, and not sent in the clear to another machine") {
  TracedWorld world;
  world.host.variables["OTEL_EXPORTER_OTLP_HEADERS"] = "api-key=canary-0123456789";
  world.collector->replies = {
      ports::HttpResponse{401, "", {{"content-type", "text/plain"}}, "no canary-0123456789"}};
  CHECK(world.code() == 0);
  REQUIRE(world.collector->asked.size() == 1);
  CHECK(world.collector->asked[0].headers.back() ==
        std::pair<std::string, std::string>("api-key", "canary-0123456789"));
  CHECK(world.console.hidden == 1);
  REQUIRE(world.console.warnings.size() == 1);
  CHECK(world.console.warnings[0].find("canary") == std::string::npos);

  TracedWorld remote;
  remote.host.variables["OTEL_EXPORTER_OTLP_HEADERS"] = "api-key=canary-0123456789";
  remote.host.variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://collector.example";
  CHECK(remote.code() == 0);
  CHECK(remote.collector->asked.empty());
  CHECK(remote.console.warnings.size() == 1);
  remote.request.workplace.plain_http = PlainHttp::allowed;
  CHECK(remote.code() == 0);
  CHECK(remote.collector->asked.size() == 1);
}

TEST_CASE("requests are compressed on request") {
  TracedWorld world;
  world.host.variables["OTEL_EXPORTER_OTLP_COMPRESSION"] = "gzip";
  CHECK(world.code() == 0);
  REQUIRE(world.collector->asked.size() == 1);
  const ports::HttpRequest& request = world.collector->asked[0];
  CHECK(request.headers.back() == std::pair<std::string, std::string>("Content-Encoding", "gzip"));
  const auto body = wheel::gunzip(request.body, 1'000'000);
  REQUIRE(body);
  CHECK(Json::parse(*body).contains("resourceSpans"));
}

}  // namespace
}  // namespace pinwheel::session
