#include <utility>

#include "host/store/store.h"
#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

EntryQuery query_of(const std::string& key) {
  return {"build:cpu", sha256_hex(key)};
}

/// A place that fails in the given way, and counts how often it is asked.
class FailingPlace final : public Place {
 public:
  struct Counts {
    int finds = 0;
    int fetches = 0;
    int puts = 0;
  };
  FailingPlace(FaultKind kind, Counts& counts) : kind_(kind), counts_(counts) {}

  std::string name() const override { return "failing"; }
  PlaceResult<std::optional<store::Entry>> find(const store::Address&) override {
    return failure(++counts_.finds);
  }
  PlaceResult<bool> fetch(const store::Blob&, const fs::path&) override {
    return failure(++counts_.fetches);
  }
  PlaceResult<PutOutcome> put(const std::vector<store::Address>&, const store::Entry&,
                              const BlobFiles&) override {
    return failure(++counts_.puts);
  }

 private:
  tl::unexpected<PlaceFault> failure(int number) const {
    return fault(kind_, Error{ErrorKind::transient, "fault " + std::to_string(number)});
  }

  FaultKind kind_;
  Counts& counts_;
};

/// A place whose answers take a while.
class SlowPlace final : public Place {
 public:
  struct State {
    steady_clock::time_point now = {};
    std::chrono::seconds takes{0};
    bool fails = false;
    bool remote = true;
    int asked = 0;
  };
  explicit SlowPlace(State& state) : state_(state) {}

  std::string name() const override { return "slow"; }
  bool is_remote() const override { return state_.remote; }
  PlaceResult<std::optional<store::Entry>> find(const store::Address&) override {
    pass();
    if (state_.fails) return fault(FaultKind::unreachable, {ErrorKind::transient, "no answer"});
    return std::nullopt;
  }
  PlaceResult<bool> fetch(const store::Blob&, const fs::path&) override {
    pass();
    return fault(FaultKind::unreachable, {ErrorKind::transient, "no answer"});
  }
  PlaceResult<PutOutcome> put(const std::vector<store::Address>&, const store::Entry&,
                              const BlobFiles&) override {
    pass();
    return PutOutcome::written;
  }

 private:
  void pass() {
    ++state_.asked;
    state_.now += state_.takes;
  }

  State& state_;
};

std::vector<StorePlace> only(std::unique_ptr<Place> place) {
  std::vector<StorePlace> places;
  places.push_back({std::move(place)});
  return places;
}

/// A store over a slow place, which is asked once for each call: a release reads its own domain.
struct SlowStore {
  SlowPlace::State state;
  Store store{only(std::make_unique<SlowPlace>(state)),
              {.domain = store::Domain::release, .now = [this] { return state.now; }}};
  std::vector<Error> warnings = {};

  void use() {
    CHECK_FALSE(store.find(query_of("a")));
    CHECK_FALSE(store.fetch({}, {}, {}));
    store.put(entry_of("a", {}), {});
    for (Error& warning : store.finish()) warnings.push_back(std::move(warning));
  }
};

}  // namespace

TEST_CASE("a place that fails is left alone after three faults, reading and writing apart",
          "[store]") {
  const Scratch scratch;
  FailingPlace::Counts counts;
  std::vector<StorePlace> places;
  places.push_back({std::make_unique<FailingPlace>(FaultKind::busy, counts)});
  places.push_back({tree_at(scratch.path() / "a")});
  Store store(std::move(places), {});
  for (int i = 0; i < 5; ++i) {
    const std::string key = std::to_string(i);
    store.put(entry_of(key, {}), {});
    static_cast<void>(store.finish());
    CHECK(store.find(query_of(key)));
  }
  CHECK(counts.finds == 3);
  CHECK(counts.puts == 3);
}

TEST_CASE("faults are warnings, each once", "[store]") {
  FailingPlace::Counts counts;
  std::vector<StorePlace> places;
  places.push_back({std::make_unique<FailingPlace>(FaultKind::full, counts)});
  Store store(std::move(places), {});
  for (int i = 0; i < 4; ++i) CHECK_FALSE(store.find(query_of("k")));
  const std::vector<Error> warnings = store.finish();
  REQUIRE(warnings.size() == 4);
  CHECK(warnings[0].message == "the store `failing` could not be read: fault 1");
  CHECK(warnings[3].message ==
        "the store `failing` is not read any more in this run: it failed 3 times");
  CHECK(store.finish().empty());
}

TEST_CASE("a run that was stopped is no fault of a place", "[store]") {
  FailingPlace::Counts counts;
  std::vector<StorePlace> places;
  places.push_back({std::make_unique<FailingPlace>(FaultKind::stopped, counts)});
  Store store(std::move(places), {});
  for (int i = 0; i < 4; ++i) CHECK_FALSE(store.find(query_of("k")));
  CHECK(counts.finds == 8);  // in its own domain and the one above
  CHECK(store.finish().empty());
}

TEST_CASE("a file is missing only if every place responded", "[store]") {
  const Scratch scratch;
  for (const FaultKind kind : {FaultKind::busy, FaultKind::unreachable, FaultKind::wrong_bytes}) {
    FailingPlace::Counts counts;
    std::vector<StorePlace> places;
    places.push_back({std::make_unique<FailingPlace>(kind, counts)});
    places.push_back({tree_at(scratch.path() / "a")});
    Store store(std::move(places), {});
    // After three faults, the place is not read any more.
    for (int i = 0; i < 4; ++i) {
      const Result<bool> fetched = store.fetch_blob(blob_of("bytes"), scratch.path() / "target");
      if (kind == FaultKind::wrong_bytes && i < 3) {
        CHECK(fetched == false);
      } else {
        REQUIRE_FALSE(fetched);
        CHECK(fetched.error().kind == ErrorKind::transient);
      }
    }
    CHECK(counts.fetches == 3);
  }
}

TEST_CASE("a server that was slow once is not asked again", "[store]") {
  for (const bool fails : {false, true}) {
    SlowStore slow;
    slow.state.takes = std::chrono::seconds(22);
    slow.state.fails = fails;
    for (int i = 0; i < 3; ++i) slow.use();
    CHECK(slow.state.asked == 1);
    REQUIRE_FALSE(slow.warnings.empty());
    CHECK(slow.warnings.back().message ==
          "the store `slow` is not used any more in this run: it took 22s");
  }
}

TEST_CASE("a server that is quick, and a directory whose lock was waited for, are asked again",
          "[store]") {
  SlowStore quick;
  quick.use();
  quick.use();
  CHECK(quick.state.asked == 6);
  SlowStore locked;
  locked.state.remote = false;
  locked.state.takes = std::chrono::seconds(22);
  locked.use();
  locked.use();
  CHECK(locked.state.asked == 6);
}

}  // namespace pinwheel::host
