#include "cli/wheel_facts.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/text.h"
#include "host/file_source.h"
#include "inspect/gather.h"

namespace pinwheel::cli {
namespace {

Result<inspect::WheelFacts> read(const std::string& file) {
  TRY(const std::unique_ptr<host::FileSource> source, host::FileSource::open(file));
  return inspect::gather(std::filesystem::path(file).filename().string(), *source);
}

}  // namespace

Result<inspect::WheelFacts> wheel_facts_of(const std::string& file) {
  Result<inspect::WheelFacts> facts = read(file);
  if (facts) return facts;
  Error error{facts.error().kind, fmt::format("{} cannot be inspected", quoted(file))};
  return fail(std::move(error).with_cause(std::move(facts).error()));
}

}  // namespace pinwheel::cli
