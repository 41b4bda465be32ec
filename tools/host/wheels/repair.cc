#include "host/wheels/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/limits.h"
#include "base/parallel.h"
#include "base/text.h"
#include "host/provision/patchelf.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "host/system/pending_file.h"
#include "host/wheels/edit_library.h"
#include "host/wheels/finish_files.h"
#include "host/wheels/owner_packages.h"
#include "host/wheels/written_wheel.h"
#include "inspect/gather.h"
#include "repair/closure.h"
#include "wheel/archive.h"
#include "wheel/repack.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

Result<inspect::WheelFacts> read_facts(const fs::path& wheel) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(wheel));
  Result<inspect::WheelFacts> facts = inspect::gather(wheel.filename().string(), *source);
  if (facts) return facts;
  Error error{facts.error().kind, quoted(wheel.string()) + " is not a wheel"};
  return fail(std::move(error).with_cause(std::move(facts).error()));
}

Error all_problems(const std::string& wheel, std::vector<Error> problems) {
  Error error{ErrorKind::check, quoted(wheel) + " cannot be repaired"};
  error.hint = problems.front().hint;
  for (Error& problem : problems) {
    if (problem.hint == error.hint) problem.hint.clear();
  }
  error.causes = std::move(problems);
  return error;
}

Result<std::vector<repair::Component>> components_of(const LibraryPlace& place,
                                                     const repair::RepairPlan& plan) {
  std::vector<std::string> paths;
  for (const repair::Graft& graft : plan.grafts) paths.push_back(graft.path);
  TRY(std::vector<repair::OwnerPackage> packages, owner_packages(place, paths));
  std::vector<repair::Component> components;
  for (size_t i = 0; i < plan.grafts.size(); ++i) {
    components.push_back({plan.grafts[i], std::move(packages[i])});
  }
  return components;
}

constexpr uint64_t kMemory = uint64_t{512} << 20U;

Result<std::vector<EditJob>> edit_jobs(const PlannedRepair& planned,
                                       const wheel::WheelArchive& archive) {
  const uint64_t whole = archive.zip.source().size();
  std::map<std::string, fs::path> grafts;
  for (const repair::Graft& graft : planned.outcome.plan.grafts) {
    grafts.emplace(graft.member, planned.copies.at(graft.path));
  }
  std::vector<EditJob> jobs;
  uint64_t of_wheel = 0;
  for (const repair::Edit& edit : planned.outcome.plan.edits) {
    TRY(EditedSource source, source_of(edit, grafts, archive));
    if (source.packed > 0) {
      TRY_DONE(check_size(quoted(edit.member), source.size, limits::kEditedLibrary.of(whole)));
      of_wheel += source.size;
    }
    jobs.push_back({edit, std::move(source)});
  }
  TRY_DONE(check_size("what is edited in " + quoted(archive.file_name), of_wheel,
                      limits::kFinishedWheel.of(whole)));
  return jobs;
}

/// Jobs that are processed together.
struct EditBatch {
  size_t first = 0;
  size_t count = 0;
  uint64_t cost = 0;  ///< bytes of memory
};

std::vector<EditBatch> batches_of(const std::vector<EditJob>& jobs) {
  constexpr size_t kMost = 128;
  constexpr uint64_t kMostBytes = uint64_t{16} << 20U;
  constexpr uint64_t kCopies = 2;  // uncompressed, and compressed
  std::vector<EditBatch> out;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const uint64_t cost = kCopies * jobs[i].source.size;
    if (out.empty() || out.back().count == kMost || out.back().cost + cost > kMostBytes) {
      out.push_back({i});
    }
    out.back().count += 1;
    out.back().cost += cost;
  }
  return out;
}

/// The changed libraries, several at a time.
Result<std::vector<wheel::NewMember>> edited_members(const LibraryPlace& place,
                                                     const PlannedRepair& planned,
                                                     const wheel::WheelArchive& archive) {
  if (planned.outcome.plan.edits.empty()) return std::vector<wheel::NewMember>{};
  TRY(const std::string patchelf, own_patchelf(host_of(place.machine)));
  const EditPlace edit_place{host_of(place.machine), patchelf, place.scratch};
  TRY(const std::vector<EditJob> jobs, edit_jobs(planned, archive));
  const std::vector<EditBatch> batches = batches_of(jobs);
  std::vector<uint64_t> costs;
  costs.reserve(batches.size());
  for (const EditBatch& batch : batches) costs.push_back(batch.cost);
  std::vector<Result<std::vector<wheel::NewMember>>> made(batches.size());
  run_jobs(costs, {usable_processors(), kMemory}, [&](size_t i) {
    const std::span<const EditJob> all(jobs);
    made[i] = edit_libraries(edit_place, all.subspan(batches[i].first, batches[i].count),
                             batches[i].first);
  });
  std::vector<wheel::NewMember> members;
  for (Result<std::vector<wheel::NewMember>>& each : made) {
    if (!each) return fail(std::move(each).error());
    std::move(each->begin(), each->end(), std::back_inserter(members));
  }
  return members;
}

Result<wheel::RepackSpec> repack_spec(const LibraryPlace& place, const PlannedRepair& planned,
                                      const wheel::WheelArchive& archive, int64_t epoch) {
  const repair::Outcome& outcome = planned.outcome;
  wheel::RepackSpec spec;
  spec.source_date_epoch = epoch;
  spec.requirements = outcome.plan.requirements;
  spec.platform_tags = outcome.plan.platforms;
  for (const inspect::MemberFacts& member : planned.facts.members) {
    spec.digests.emplace(member.name, member.sha256);
  }
  TRY(spec.members, edited_members(place, planned, archive));
  for (const repair::MovedProgram& moved : outcome.plan.programs) {
    spec.members.push_back(wheel::new_member(moved.script, repair::launcher(moved), 0755));
  }
  if (outcome.components.empty()) return spec;
  spec.members.push_back(wheel::new_member(archive.info_path("sboms/pinwheel.cdx.json"),
                                           repair::sbom(*planned.facts.name, outcome.components)));
  for (const repair::LicenseFile& file : repair::license_files(outcome)) {
    spec.license_files.push_back(file.name);
    spec.members.push_back(
        wheel::new_member(archive.info_path("licenses/" + file.name), file.contents));
  }
  return spec;
}

}  // namespace

Result<PlannedRepair> plan_wheel_repair(const LibraryPlace& place, const RepairRequest& request) {
  TRY(inspect::WheelFacts facts, read_facts(request.wheel));
  TRY_DONE(repair::check_repairable(facts));
  TRY(const repair::Target target, repair::parse_target(request.platform, facts));
  PlannedRepair planned{std::move(facts), {}};
  repair::Facts of_plan{planned.facts, request.exclude, target};
  TRY(FoundLibraries found, find_libraries(place, of_plan));
  of_plan.libraries = std::move(found.libraries);
  of_plan.missing = std::move(found.missing);
  planned.copies = std::move(found.copies);
  for (const auto& [name, entry] : repair::closure_of(of_plan)) planned.needed.insert(name);
  planned.outcome.wheel = planned.facts.file_name;
  planned.outcome.plan = repair::plan_repair(of_plan);
  if (!planned.outcome.plan.problems.empty()) {
    return fail(all_problems(planned.outcome.wheel, std::move(planned.outcome.plan.problems)));
  }
  TRY(planned.outcome.components, components_of(place, planned.outcome.plan));
  wheel::RepackSpec names;
  names.platform_tags = planned.outcome.plan.platforms;
  TRY(planned.outcome.file_name, wheel::repacked_name(planned.outcome.wheel, names));
  if (!planned.outcome.plan.is_needed()) planned.outcome.file_name = planned.outcome.wheel;
  return planned;
}

Result<plan::Output> repair_wheel(const LibraryPlace& place, const RepairRequest& request,
                                  const PlannedRepair& planned, const fs::path& output,
                                  int64_t epoch) {
  if (!planned.outcome.plan.is_needed()) return put_into(request.wheel, output);
  TRY_DONE(LocalFiles().make_directories(output));
  TRY_DONE(check_satisfiable(host_of(place.machine), planned.outcome.plan.requirements));
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(request.wheel));
  TRY(const wheel::WheelArchive archive, wheel::open_wheel(planned.outcome.wheel, *source));
  TRY(wheel::RepackSpec spec, repack_spec(place, planned, archive, epoch));
  const fs::path target = output / planned.outcome.file_name;
  PendingFile pending(target);
  TRY(const wheel::FinishedWheel finished,
      wheel::repack(archive, std::move(spec),
                    [&pending](std::string_view bytes) { return pending.write(bytes); }));
  TRY_DONE(check_written(pending));
  TRY_DONE(pending.commit());
  return plan::Output{target.string(), finished.sha256, finished.size};
}

}  // namespace pinwheel::host
