#include "host/wheels/written_wheel.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/system/file_source.h"
#include "inspect/gather.h"
#include "inspect/rules.h"

namespace pinwheel::host {
namespace {

std::vector<std::string> rules_of_form() {
  return {"wheel-name", "record", "archive", "special-members", "hidden-characters"};
}

Error refused(const std::string& name, std::vector<Error> causes) {
  Error error{ErrorKind::check, quoted(name) + " would not be a valid wheel"};
  error.causes = std::move(causes);
  return std::move(error).with_hint("correct the inputs of the wheel, then repeat");
}

}  // namespace

Result<wheel::WheelContents> check_written(const PendingFile& wheel) {
  const std::string name = wheel.target().filename().string();
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(wheel.temporary()));
  Result<inspect::WheelFacts> facts = inspect::gather(name, *source);
  if (!facts) return fail(refused(name, {std::move(facts).error()}));
  TRY(const std::vector<inspect::Finding> found, inspect::check(*facts, {}, rules_of_form()));
  std::vector<Error> causes;
  for (const inspect::Finding& finding : inspect::failures(found)) {
    causes.push_back(inspect::to_error(finding));
  }
  if (!causes.empty()) return fail(refused(name, std::move(causes)));
  wheel::WheelContents contents{facts->dist_info};
  constexpr uint32_t kExecutable = 0111;
  for (const inspect::MemberFacts& member : facts->members) {
    contents.members.push_back(
        {member.name, member.sha256, member.size, (member.mode & kExecutable) != 0});
  }
  return contents;
}

}  // namespace pinwheel::host
