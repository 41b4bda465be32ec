#include "host/store/watched_place.h"

#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

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
  PlaceResult<std::optional<store::StoredResult>> find(const store::Address&) override {
    pass();
    if (state_.fails) return fault(FaultKind::unreachable, {ErrorKind::transient, "no answer"});
    return std::nullopt;
  }
  PlaceResult<bool> fetch(const store::Blob&, const fs::path&) override {
    pass();
    return fault(FaultKind::unreachable, {ErrorKind::transient, "no answer"});
  }
  PlaceResult<Kept> put(const std::vector<store::Address>&, const store::StoredResult&,
                        const BlobFiles&) override {
    pass();
    return Kept::new_one;
  }

 private:
  void pass() {
    ++state_.asked;
    state_.now += state_.takes;
  }

  State& state_;
};

struct Watched {
  SlowPlace::State state;
  StoreWarnings warnings;
  WatchedPlace place{{std::make_unique<SlowPlace>(state), store::PlaceAccess::read_write},
                     warnings,
                     ports::no_log(),
                     [this] { return state.now; }};

  void use() {
    static_cast<void>(place.find({"a"}, store::Domain::branch, {}));
    static_cast<void>(place.fetch({}, {}));
    place.put({}, {}, {});
  }
};

}  // namespace

TEST_CASE("a server that was slow once is not asked again", "[store]") {
  for (const bool fails : {false, true}) {
    Watched watched;
    watched.state.takes = std::chrono::seconds(22);
    watched.state.fails = fails;
    for (int i = 0; i < 3; ++i) watched.use();
    CHECK(watched.state.asked == 1);
    CHECK(watched.warnings.take().back().message ==
          "the store `slow` is not used any more in this run: it took 22s");
  }
}

TEST_CASE("a server that is quick, and a directory whose lock was waited for, are asked again",
          "[store]") {
  Watched quick;
  quick.use();
  quick.use();
  CHECK(quick.state.asked == 6);
  Watched locked;
  locked.state.remote = false;
  locked.state.takes = std::chrono::seconds(22);
  locked.use();
  locked.use();
  CHECK(locked.state.asked == 6);
}

}  // namespace pinwheel::host
