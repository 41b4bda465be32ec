#include <string>

#include "fuzz/fuzz.h"
#include "inspect/gather.h"
#include "inspect/rules.h"
#include "report/inspect_json.h"
#include "report/inspect_text.h"
#include "wheel/member_stream.h"

using namespace pinwheel;

namespace {

/// A streamed member equals one read at once, or both are rejected.
void stream_members(const ports::ByteSource& source) {
  const auto zip = wheel::ZipReader::open(source);
  if (!zip) return;
  for (const wheel::ZipMember& member : zip->members()) {
    const auto whole = zip->read(member);
    auto stream = wheel::MemberStream::open(*zip, member, 64);
    if (!stream) {
      must(!whole);
      continue;
    }
    std::string out;
    while (true) {
      const auto piece = stream->next();
      if (!piece) {
        must(!whole);
        break;
      }
      if (piece->empty()) {
        must(whole && *whole == out);
        break;
      }
      out += *piece;
    }
  }
}

void judge(const Result<inspect::WheelFacts>& facts) {
  if (!facts) {
    must(facts.error().kind == ErrorKind::check);
    return;
  }
  inspect::Expectations expected;
  expected.budget = 1;
  const auto findings = inspect::check(*facts, expected, inspect::rule_ids());
  must(findings.has_value());
  must(!report::inspect_text(*facts, expected, *findings).empty());
  must(!report::inspect_json(*facts, expected, *findings).empty());
}

}  // namespace

// Every wheel and every loose file is checked and reported.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(text_of(data, size));
  const ports::MemorySource source(bytes);
  stream_members(source);
  const inspect::GatherOptions options{
      {1, UINT64_MAX}, inspect::Measure::packing, inspect::Detail::kernels};
  judge(inspect::gather("x-1-py3-none-any.whl", source, options));
  // Any other file has only a size to report, and would take most of the time.
  if (!binary::is_elf(bytes)) return 0;
  const inspect::LooseFile loose{"x.so", [&bytes]() -> Result<std::unique_ptr<ports::ByteSource>> {
                                   return std::make_unique<ports::MemorySource>(bytes);
                                 }};
  judge(inspect::gather_files("x.so", {loose}, options));
  return 0;
}
