#include "plan/ninja_log.h"

#include <fmt/format.h>

#include <random>

#include "unit/catch.h"

using namespace pinwheel::plan;
using namespace std::chrono_literals;

namespace {

constexpr TraceTime kWritten{1'767'323'045'678ms};

/// The mtime of a time after 1970, in nanoseconds, with a rest below a millisecond.
std::string mtime(TraceTime time) {
  return fmt::format("{}123456", time.time_since_epoch().count());
}

TracedCommand command(const std::string& output, CommandKind kind, TraceTime start,
                      std::chrono::milliseconds length) {
  return {output, kind, {start, start + length}};
}

}  // namespace

TEST_CASE("a log of ninja places its commands by the time when it was written") {
  for (const char* const version : {"5", "6", "7"}) {
    const std::string log = fmt::format(
        "# ninja log v{}\n"
        "2\t302\t0\tCMakeFiles/m.dir/a.cpp.o\t1f\n"
        "3\t503\t0\tCMakeFiles/m.dir/k.cu.o\t2f\n"
        "503\t603\t0\tlibm.so\t3f\n"
        "503\t603\t0\tlibm.so.1\t3f\n",
        version);
    CHECK(ninja_commands({log, {}, kWritten}) ==
          std::vector<TracedCommand>{
              command("CMakeFiles/m.dir/a.cpp.o", CommandKind::compile, kWritten - 601ms, 300ms),
              command("CMakeFiles/m.dir/k.cu.o", CommandKind::device_compile, kWritten - 600ms,
                      500ms),
              command("libm.so", CommandKind::link, kWritten - 100ms, 100ms)});
  }
}

TEST_CASE("the rules of a manifest are the kinds of commands") {
  const std::string manifest =
      "rule cuda_compile\n"
      "build a.o: cuda_compile /src/a.cu\n"
      "build b.o | b.d: compile /src/b.cpp\n"
      "build CMakeFiles/linker.dir/x: CXX_EXECUTABLE_LINKER__linker_Release y.o\n"
      "build lib.a: CXX_STATIC_LIBRARY_LINKER__lib_ y.o\n"
      "build gen.h: CUSTOM_COMMAND gen.py\n"
      "build z.cpp.o: CXX_COMPILER__linked_unscanned_ z.cpp\n"
      "build cut";
  const std::string log =
      "# ninja log v5\n1\t2\t0\ta.o\t1\n1\t2\t0\tb.o\t2\n1\t2\t0\tCMakeFiles/linker.dir/x\t3\n"
      "1\t2\t0\tlib.a\t4\n1\t2\t0\tgen.h\t5\n1\t2\t0\tz.cpp.o\t6\n";
  const std::vector<TracedCommand> commands = ninja_commands({log, manifest, kWritten});
  std::vector<CommandKind> kinds;
  kinds.reserve(commands.size());
  for (const TracedCommand& each : commands) kinds.push_back(each.kind);
  CHECK(kinds == std::vector{CommandKind::device_compile, CommandKind::compile, CommandKind::link,
                             CommandKind::archive, CommandKind::other, CommandKind::compile});
}

TEST_CASE("earlier runs in a log of ninja are placed by their mtimes") {
  const TraceTime first = kWritten - 60s;
  // ninja 1.11 records when a command started; the second has a `restat` rule, and its output is
  // newer.
  const std::string recorded =
      fmt::format("5\t1000\t{}\ta.o\t1\n6\t1500\t{}\tb\t2\n7\t2000\t{}\tc.o\t3\n",
                  mtime(first + 5ms), mtime(first + 1400ms), mtime(first + 7ms));
  const std::string last = "4\t104\t0\td.o\t4\n";
  const auto at = [](const std::string& text, size_t i) {
    return ninja_commands({"# ninja log v5\n" + text, {}, kWritten}).at(i).span.start;
  };
  CHECK(at(recorded + last, 0) == first + 5ms);
  CHECK(at(recorded + last, 3) == kWritten - 100ms);
  // Older ones record 0: the run ends where the next one starts.
  const std::string unrecorded = "5\t1000\t0\ta.o\t1\n";
  CHECK(at(unrecorded + last, 0) == kWritten - 104ms - 995ms);
  // A time in the future does not move a run after the next one.
  const std::string wrong = fmt::format("5\t1000\t{}\ta.o\t1\n", mtime(kWritten + 50s));
  CHECK(at(wrong + last, 0) == kWritten - 104ms - 995ms);
}

TEST_CASE("texts that are no log of ninja have no commands, and wrong lines are skipped") {
  const std::string line = "1\t2\t0\ta.o\t1\n";
  for (const std::string& text :
       {std::string(), std::string("# ninja log v5"), "# ninja log v4\n" + line,
        "# ninja log v8\n" + line, line, "# ninja log v5\n" + line.substr(0, line.size() - 1)}) {
    CHECK(ninja_commands({text, {}, kWritten}).empty());
  }
  const std::string hostile =
      "# ninja log "
      "v6\n\n\t\t\t\t\n-1\t2\t0\ta\t1\n3\t2\t0\ta\t1\n1\t99999999999999999999\t0\ta\t1\n"
      "1\t2\t0\t\t1\n1\t2\t0\ta\n1\t2\t18446744073709551615\t\xff\xfe.o\t1\n";
  CHECK(ninja_commands({hostile, {}, kWritten}) ==
        std::vector<TracedCommand>{command("??.o", CommandKind::compile, kWritten - 1ms, 1ms)});
}

TEST_CASE("any bytes after the header of a log are read") {
  std::mt19937 random(11);
  constexpr std::string_view kBytes = "0123456789\t\t\t\n\n.o#v-\xc3\xa4";
  for (int round = 0; round < 1000; ++round) {
    std::string text = "# ninja log v5\n";
    const size_t length = random() % 300;
    for (size_t i = 0; i < length; ++i) text += kBytes[random() % kBytes.size()];
    AttemptTrace trace;
    trace.ran = {kWritten - 1h, kWritten};
    list_commands(trace, ninja_commands({text, text, kWritten}));
    for (const TracedCommand& each : trace.commands) {
      CHECK(trace.ran->start <= each.span.start);
      CHECK(each.span.start <= each.span.completed);
      CHECK(each.span.completed <= trace.ran->completed);
    }
  }
}
