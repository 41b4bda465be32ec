#include "plan/trace_context.h"

#include <set>

#include "unit/catch.h"

namespace pinwheel::plan {
namespace {

constexpr const char* kTrace = "0af7651916cd43dd8448eb211c80319c";
constexpr const char* kParent = "b7ad6b7169203331";

std::string with_flags(const std::string& flags) {
  return std::string("00-") + kTrace + "-" + kParent + "-" + flags;
}

TEST_CASE("a traceparent names the trace, the parent, and whether it is sampled") {
  CHECK(parse_traceparent(with_flags("01")) == TraceContext{kTrace, kParent, Sampling::sampled});
  CHECK(parse_traceparent(with_flags("03")) == TraceContext{kTrace, kParent, Sampling::sampled});
  CHECK(parse_traceparent(with_flags("00")) == TraceContext{kTrace, kParent, Sampling::dropped});
  CHECK(parse_traceparent(with_flags("fe")) == TraceContext{kTrace, kParent, Sampling::dropped});
}

TEST_CASE("a later version of traceparent is read up to what this one knows") {
  const std::string rest = with_flags("01").substr(2);
  CHECK(parse_traceparent("cc" + rest));
  CHECK(parse_traceparent("cc" + rest + "-what-the-future-adds"));
  CHECK_FALSE(parse_traceparent("cc" + rest + "."));
  CHECK_FALSE(parse_traceparent("ff" + rest));
  CHECK_FALSE(parse_traceparent("00" + rest + "-more"));
}

TEST_CASE("every other text is no traceparent") {
  const std::string good = with_flags("01");
  for (size_t length = 0; length < good.size(); ++length) {
    CHECK_FALSE(parse_traceparent(good.substr(0, length)));
  }
  for (size_t i = 0; i < good.size(); ++i) {
    for (const char wrong : {'G', 'A', ' ', '\0', '_'}) {
      std::string text = good;
      text[i] = wrong;
      CHECK_FALSE(parse_traceparent(text));
    }
  }
  CHECK_FALSE(parse_traceparent("00-00000000000000000000000000000000-b7ad6b7169203331-01"));
  CHECK_FALSE(parse_traceparent("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"));
}

TEST_CASE("the traceparent of a process is read back with its span as the parent") {
  for (const Sampling sampling : {Sampling::sampled, Sampling::dropped}) {
    const TraceContext context{kTrace, "", sampling};
    const std::string span = span_of_attempt(context, "run", "build:cpu", 1);
    CHECK(parse_traceparent(traceparent(context, span)) == TraceContext{kTrace, span, sampling});
  }
}

TEST_CASE("ids follow from names, and differ where the names do") {
  const TraceContext context{trace_id_of({"run 7", "plan"})};
  CHECK(context.trace_id.size() == 32);
  CHECK(trace_id_of({"run 7", "plan"}) == context.trace_id);
  CHECK(trace_id_of({"run 7p", "lan"}) != context.trace_id);
  const TraceContext other{trace_id_of({"run 8", "plan"})};
  const std::set<std::string> ids = {span_of_run(context, "a"),
                                     span_of_run(context, "b"),
                                     span_of_step(context, "one", "build:a"),
                                     span_of_step(context, "one", "build:b"),
                                     span_of_step(context, "two", "build:a"),
                                     span_of_step(other, "one", "build:a"),
                                     span_of_attempt(context, "one", "build:a", 1),
                                     span_of_attempt(context, "one", "build:a", 2),
                                     span_of_attempt(context, "two", "build:a", 1),
                                     span_of_part(context, "b7ad6b7169203331", "execution")};
  CHECK(ids.size() == 10);
  for (const std::string& id : ids) CHECK(id.size() == 16);
}

TEST_CASE("the state of a trace is passed on, unless it is malformed") {
  CHECK(parse_tracestate(" vendor=a b,other=1\t") == "vendor=a b,other=1");
  const std::string longest = "a=" + std::string(510, 'x');
  CHECK(parse_tracestate(longest) == longest);
  for (const std::string& malformed :
       {std::string(), std::string("vendor"), longest + "x", std::string("a=\nb=1"),
        std::string("a=\xff"), std::string("="), std::string("a=1,=x"), std::string("a b=1")}) {
    CHECK(parse_tracestate(malformed).empty());
  }
  std::map<std::string, std::string> variables;
  put_trace({"", "a=1"}, variables);
  CHECK(variables.empty());
  put_trace({"parent", "a=1"}, variables);
  CHECK(variables ==
        std::map<std::string, std::string>{{"TRACEPARENT", "parent"}, {"TRACESTATE", "a=1"}});
}

}  // namespace
}  // namespace pinwheel::plan
