#include "host/run/stored_results.h"

#include <fstream>
#include <memory>
#include <mutex>
#include <utility>

#include "base/digest.h"
#include "fakes/fake_runner.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

const std::string kWheel = "x-1.0-py3-none-any.whl";

/// The contents of a place in memory.
struct Shelf {
  std::mutex mutex = {};
  std::map<store::Address, store::Entry> results = {};
  std::map<store::Blob, std::string> blobs = {};
};

/// A place in memory, of which several stores may have one.
class ShelfPlace final : public Place {
 public:
  explicit ShelfPlace(std::shared_ptr<Shelf> shelf) : shelf_(std::move(shelf)) {}

  std::string name() const override { return "shelf"; }

  PlaceResult<std::optional<store::Entry>> find(const store::Address& address) override {
    const std::scoped_lock held(shelf_->mutex);
    const auto found = shelf_->results.find(address);
    if (found == shelf_->results.end()) return std::nullopt;
    return found->second;
  }

  PlaceResult<bool> fetch(const store::Blob& blob, const fs::path& target) override {
    const std::scoped_lock held(shelf_->mutex);
    const auto found = shelf_->blobs.find(blob);
    if (found == shelf_->blobs.end()) return false;
    std::ofstream(target) << found->second;
    return true;
  }

  PlaceResult<PutOutcome> put(const std::vector<store::Address>& addresses,
                              const store::Entry& result, const BlobFiles& files) override {
    const std::scoped_lock held(shelf_->mutex);
    for (const auto& [blob, path] : files) {
      std::ifstream file(path);
      shelf_->blobs[blob] = {std::istreambuf_iterator<char>(file), {}};
    }
    for (const store::Address& address : addresses) shelf_->results.try_emplace(address, result);
    return PutOutcome::written;
  }

 private:
  std::shared_ptr<Shelf> shelf_;
};

std::unique_ptr<Store> store_on(const std::shared_ptr<Shelf>& shelf,
                                store::Domain domain = store::Domain::branch) {
  std::vector<StorePlace> places;
  places.push_back({std::make_unique<ShelfPlace>(shelf), store::PlaceAccess::read_write});
  return std::make_unique<Store>(std::move(places), Store::Options{.domain = domain});
}

plan::Step made(std::string id, plan::Action action, std::vector<std::string> needs = {}) {
  plan::Step step{std::move(id), {}, std::move(action), std::move(needs)};
  step.parts = {{"id", step.id}, {"version", "1"}};
  step.key = plan::key_of(step.parts);
  return step;
}

/// An environment, a build of one wheel that needs it, and its test; `compiler` is in the key.
plan::Plan example(const std::string& compiler = "12") {
  plan::BuildWheel build;
  build.namings.resize(1);
  build.tags = {"py3", "none", "x86_64"};
  build.environment.python = "3.12";
  build.toolchain = compiler;
  plan::Plan plan;
  plan.steps = {made("env:a", plan::CreateEnvironment{}), made("build:x", build, {"env:a"}),
                made("test:x", plan::TestWheel{}, {"env:a", "build:x"})};
  plan.steps[1].parts["toolchain"] = compiler;
  return plan;
}

ResultFacts facts(const std::string& plan_digest = {}) {
  ResultFacts facts;
  facts.plan = plan_digest;
  facts.pythons = {{"build:x", "3.12.7"}, {"test:x", "3.12.7"}};
  facts.packages = {{"build:x", {{"numpy", {"1.26.4"}}}}};
  facts.writer.run = "run";
  return facts;
}

const plan::StepOutcome* result_of(const SearchedResults& known, const std::string& step) {
  for (const auto& [name, outcome] : known.results) {
    if (name.first == step) return &outcome;
  }
  return nullptr;
}

/// A machine that has run steps, or looks results up.
struct Machine {
  Scratch scratch = {};
  fakes::FakeClock clock = {};
  fakes::FakeRecorder journal = {};

  plan::StepOutcome outcome(const plan::Plan& plan, size_t step,
                            const std::vector<plan::StepOutcome>& needs) const {
    plan::StepOutcome outcome;
    outcome.id = plan.steps[step].id;
    outcome.parts = plan::result_parts(plan.steps[step], needs);
    outcome.key = plan::key_of(outcome.parts);
    outcome.attempts = 1;
    outcome.elapsed = std::chrono::seconds(7);
    outcome.span = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    return outcome;
  }

  /// The build and the test, as they end here; the test with that state.
  void finish(const plan::Plan& plan, Store& store, const ResultFacts& facts,
              plan::StepState tested = plan::StepState::done) {
    plan::StepOutcome environment;
    environment.id = "env:a";
    environment.key = plan.steps[0].key;
    plan::StepOutcome build = outcome(plan, 1, {environment});
    build.outputs = {{scratch.write("dist/" + kWheel, "wheel").string(), sha256_hex("wheel"), 5}};
    plan::StepOutcome test = outcome(plan, 2, {environment, build});
    test.state = tested;
    test.evidence = plan::Evidence::loaded;
    StoringRecorder recorder(journal, store, plan, facts, clock);
    REQUIRE(recorder.finished(environment));
    REQUIRE(recorder.finished(build));
    REQUIRE(recorder.finished(test));
    REQUIRE(store.finish().empty());
  }

  SearchedResults search(const plan::Plan& plan, Store& store, const ResultFacts& facts,
                         std::set<std::string> skipped_will_do = {}) const {
    fs::create_directories(scratch.path() / "out");
    return search_store({}, {.store = store,
                             .plan = plan,
                             .facts = facts,
                             .output = scratch.path() / "out",
                             .skipped_will_do = std::move(skipped_will_do)});
  }
};

TEST_CASE("what one machine has done another finds by its keys, step after step") {
  const auto shelf = std::make_shared<Shelf>();
  const plan::Plan plan = example();
  Machine{}.finish(plan, *store_on(shelf), facts());
  CHECK(shelf->results.size() == 2);
  for (const auto& [address, result] : shelf->results) {
    CHECK(result.packages.empty() == (result.step != "build:x"));
  }
  const Machine other;
  const SearchedResults known = other.search(plan, *store_on(shelf), facts());
  CHECK(known.warnings.empty());
  const plan::StepOutcome* const build = result_of(known, "build:x");
  REQUIRE(build != nullptr);
  CHECK(build->span == "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  CHECK(build->outputs.at(0).path == (other.scratch.path() / "out" / kWheel).string());
  CHECK(fs::file_size(build->outputs.at(0).path) == 5);
  REQUIRE(result_of(known, "test:x") != nullptr);
  CHECK(result_of(known, "test:x")->evidence == plan::Evidence::loaded);
  CHECK(known.found.at("build:x").machine.python == "3.12.7");
  CHECK(known.found.at("build:x").machine.compiler == "12");
  CHECK(known.found.at("build:x").elapsed_ms == 7000);
}

TEST_CASE("another compiler's result stands for a step of the same frozen plan alone") {
  const auto shelf = std::make_shared<Shelf>();
  Machine{}.finish(example("12"), *store_on(shelf), facts("plan"));
  const plan::Plan here = example("14");
  const Machine machine;
  CHECK(machine.search(here, *store_on(shelf), facts()).results.empty());
  CHECK(machine.search(here, *store_on(shelf), facts("another plan")).results.empty());
  const SearchedResults known = machine.search(here, *store_on(shelf), facts("plan"));
  CHECK(known.results.size() == 2);
  // The run looks for it under the key of this machine.
  CHECK(plan::searchable_steps(here, known.results).empty());
  CHECK(known.found.at("build:x").machine.compiler == "12");
}

TEST_CASE("a result that differs in anything but its compiler is refused, and that is said") {
  const auto shelf = std::make_shared<Shelf>();
  Machine{}.finish(example(), *store_on(shelf), facts("plan"));
  plan::Plan changed = example("14");
  changed.steps[1].parts["version"] = "2";
  const SearchedResults known = Machine{}.search(changed, *store_on(shelf), facts("plan"));
  CHECK(known.results.empty());
  REQUIRE(known.warnings.size() == 1);
  CHECK(known.warnings[0].message ==
        "the result of `build:x` in `shelf` is not of this plan: it differs in `version`");
  ResultFacts newer = facts("plan");
  newer.pythons["build:x"] = "3.12.8";
  const SearchedResults python = Machine{}.search(example("14"), *store_on(shelf), newer);
  REQUIRE(python.warnings.size() == 1);
  CHECK(python.warnings[0].message.find("Python 3.12.7, and the plan has 3.12.8") !=
        std::string::npos);
}

TEST_CASE("a skipped test stands for one that only has to be over") {
  const auto shelf = std::make_shared<Shelf>();
  const plan::Plan plan = example();
  Machine{}.finish(plan, *store_on(shelf), facts(), plan::StepState::skipped);
  const Machine machine;
  CHECK(result_of(machine.search(plan, *store_on(shelf), facts()), "test:x") == nullptr);
  const SearchedResults known = machine.search(plan, *store_on(shelf), facts(), {"test:x"});
  REQUIRE(result_of(known, "test:x") != nullptr);
  CHECK(result_of(known, "test:x")->state == plan::StepState::skipped);
}

TEST_CASE("a test that was finished for the plan counts more than a skipped one of the own key") {
  const auto with_compiler = [](const std::string& compiler) {
    plan::Plan plan = example(compiler);
    plan.steps[2].parts["toolchain"] = compiler;
    return plan;
  };
  const plan::Plan here = with_compiler("14");
  const auto tested_as = [&](const plan::Plan& finished) {
    const auto shelf = std::make_shared<Shelf>();
    Machine{}.finish(here, *store_on(shelf), facts(), plan::StepState::skipped);
    Machine{}.finish(finished, *store_on(shelf), facts("plan"));
    const Machine machine;
    const SearchedResults known = machine.search(here, *store_on(shelf), facts("plan"), {"test:x"});
    CHECK(known.warnings.empty());
    const plan::StepOutcome* const test = result_of(known, "test:x");
    REQUIRE(test != nullptr);
    return test->state;
  };
  CHECK(tested_as(with_compiler("12")) == plan::StepState::done);
  plan::Plan other = with_compiler("12");
  other.steps[2].parts["version"] = "2";
  CHECK(tested_as(other) == plan::StepState::skipped);
}

TEST_CASE("what the store has can be asked without its files, and without some steps") {
  const auto shelf = std::make_shared<Shelf>();
  const plan::Plan plan = example();
  Machine{}.finish(plan, *store_on(shelf), facts());
  shelf->blobs.clear();
  const std::unique_ptr<Store> store = store_on(shelf);
  const ResultFacts here = facts();
  const SearchedResults left =
      search_store({}, {.store = *store, .plan = plan, .facts = here, .files = ResultFiles::leave});
  CHECK(left.found.size() == 2);
  CHECK(left.warnings.empty());
  const SearchedResults without = search_store({}, {.store = *store,
                                                    .plan = plan,
                                                    .facts = here,
                                                    .files = ResultFiles::leave,
                                                    .left_out = {"test:x"}});
  CHECK(without.found.contains("build:x"));
  CHECK_FALSE(without.found.contains("test:x"));
}

TEST_CASE("a result without its files is not found") {
  const auto shelf = std::make_shared<Shelf>();
  const plan::Plan plan = example();
  Machine{}.finish(plan, *store_on(shelf), facts());
  shelf->blobs.clear();
  const Machine machine;
  CHECK(machine.search(plan, *store_on(shelf), facts()).results.empty());
  CHECK(fs::is_empty(machine.scratch.path() / "out"));
}

TEST_CASE("failures, environments and publications are not kept") {
  const auto shelf = std::make_shared<Shelf>();
  const plan::Plan plan = example();
  const auto store = store_on(shelf);
  Machine machine;
  const ResultFacts of_run = facts();
  StoringRecorder recorder(machine.journal, *store, plan, of_run, machine.clock);
  plan::StepOutcome failed = machine.outcome(plan, 1, {});
  failed.state = plan::StepState::failed;
  REQUIRE(recorder.finished(failed));
  REQUIRE(recorder.finished(machine.outcome(plan, 0, {})));
  store->finish();
  CHECK(shelf->results.empty());
}

TEST_CASE("what is reused reaches a store that lacks it, and the other jobs of a plan") {
  const auto shelf = std::make_shared<Shelf>();
  const plan::Plan plan = example();
  Machine{}.finish(plan, *store_on(shelf), facts());
  const Machine machine;
  const auto store = store_on(shelf);
  const ResultFacts of_plan = facts("plan");
  const SearchedResults known = machine.search(plan, *store, of_plan);
  store_reused(plan::without_idle(plan, known.results), known, of_plan, machine.clock, *store);
  store->finish();
  CHECK(Machine{}.search(example("14"), *store_on(shelf), of_plan).results.size() == 2);
}

}  // namespace
}  // namespace pinwheel::host
