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
    const std::string span = span_of_attempt(context, "build:cpu", 1, "one");
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
                                     span_of_step(context, "build:a", ""),
                                     span_of_step(context, "build:b", ""),
                                     span_of_step(other, "build:a", ""),
                                     span_of_attempt(context, "build:a", 1, "one"),
                                     span_of_attempt(context, "build:a", 2, "one"),
                                     span_of_attempt(context, "build:a", 1, "two"),
                                     span_of_part(context, "b7ad6b7169203331", "execution")};
  CHECK(ids.size() == 9);
  for (const std::string& id : ids) CHECK(id.size() == 16);
}

TEST_CASE("a step that any job may need has one span, an environment one on each machine") {
  const TraceContext context{kTrace};
  CHECK(span_of_step(context, "build:a", "one") == span_of_step(context, "build:a", "two"));
  CHECK(span_of_step(context, "env:1f", "one") != span_of_step(context, "env:1f", "two"));
}

}  // namespace
}  // namespace pinwheel::plan
