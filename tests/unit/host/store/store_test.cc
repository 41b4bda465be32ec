#include "host/store/store.h"

#include <condition_variable>
#include <mutex>

#include "host/store/open_store.h"
#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

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
  PlaceResult<std::optional<store::StoredResult>> find(const store::Address&) override {
    return failure(++counts_.finds);
  }
  PlaceResult<bool> fetch(const store::Blob&, const fs::path&) override {
    return failure(++counts_.fetches);
  }
  PlaceResult<Kept> put(const std::vector<store::Address>&, const store::StoredResult&,
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

/// A place where a result waits until another arrives, too.
class MeetingPlace final : public Place {
 public:
  explicit MeetingPlace(bool& met) : met_(met) {}

  std::string name() const override { return "meeting"; }
  PlaceResult<std::optional<store::StoredResult>> find(const store::Address&) override {
    return std::nullopt;
  }
  PlaceResult<bool> fetch(const store::Blob&, const fs::path&) override { return false; }
  PlaceResult<Kept> put(const std::vector<store::Address>&, const store::StoredResult&,
                        const BlobFiles&) override {
    constexpr auto kHang = std::chrono::minutes(1);
    std::unique_lock lock(mutex_);
    ++present_;
    changed_.notify_all();
    met_ = changed_.wait_for(lock, kHang, [this] { return present_ == 2; }) && met_;
    return Kept::new_one;
  }

 private:
  bool& met_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0;
};

/// Remembers the files of which it is given a result.
class ListingPlace final : public Place {
 public:
  explicit ListingPlace(std::vector<fs::path>& files) : files_(files) {}

  std::string name() const override { return "listing"; }
  PlaceResult<std::optional<store::StoredResult>> find(const store::Address&) override {
    return std::nullopt;
  }
  PlaceResult<bool> fetch(const store::Blob&, const fs::path&) override { return false; }
  PlaceResult<Kept> put(const std::vector<store::Address>&, const store::StoredResult&,
                        const BlobFiles& files) override {
    for (const auto& [blob, path] : files) files_.push_back(path);
    return Kept::new_one;
  }

 private:
  std::vector<fs::path>& files_;
};

/// Stores over directories of one scratch directory, by name.
class Stores {
 public:
  const Scratch& scratch() const { return scratch_; }

  std::unique_ptr<Store> open(const std::vector<std::string>& names,
                              store::Domain domain = store::Domain::branch) const {
    std::vector<ChainedPlace> places;
    for (const std::string& name : names) {
      const bool local = name.starts_with("local");
      places.push_back({tree_at(scratch_.path() / name, store::PlaceAccess::read_write,
                                local ? Sharing::machine : Sharing::shared)});
    }
    return std::make_unique<Store>(std::move(places), Store::Options{domain, "r2"});
  }

  /// Keeps a result with the one output "one", under the key and the step of a plan.
  void keep(Store& store, const std::string& key) const {
    store::StoredResult result = result_of(key, {"one"});
    result.plan = sha256_hex("plan");
    store.keep(result, {{"file-0", scratch_.write("made/one", "one")}});
    CHECK(store.finish().empty());
  }

 private:
  Scratch scratch_;
};

WantedResult wanted(const std::string& key) {
  return {"build:cpu", sha256_hex(key)};
}

const WantedResult kHandedOff = {"build:cpu", {}, sha256_hex("plan")};

}  // namespace

TEST_CASE("a result is found by its key and by its step of a plan", "[store]") {
  const Stores stores;
  const auto store = stores.open({"a"});
  CHECK_FALSE(store->find(wanted("k")));
  stores.keep(*store, "k");
  for (const WantedResult& one : {wanted("k"), kHandedOff}) {
    const auto found = stores.open({"a"})->find(one);
    REQUIRE(found);
    CHECK(found->place == "dir:a");
    CHECK(found->result.writer.run == "r2");
    CHECK(found->result.key == sha256_hex("k"));
  }
  CHECK_FALSE(store->find(wanted("other")));
  CHECK_FALSE(store->find({"build:cu130", {}, sha256_hex("plan")}));
}

TEST_CASE("reading fills the places before", "[store]") {
  const Stores stores;
  stores.keep(*stores.open({"far"}), "k");
  const auto store = stores.open({"local", "near", "far"});
  const auto found = store->find(wanted("k"));
  REQUIRE(found);
  CHECK(found->place == "dir:far");
  REQUIRE(
      store->materialize(*found, found->result.outputs[0], stores.scratch().path() / "out/file"));
  CHECK(store->finish().empty());
  CHECK(stores.scratch().read("out/file") == "one");
  CHECK(stores.open({"local"})->find(wanted("k")));
  CHECK(stores.open({"near"})->find(wanted("k")));
}

TEST_CASE("writing goes to all places that may be written", "[store]") {
  const Stores stores;
  std::vector<ChainedPlace> places;
  places.push_back({tree_at(stores.scratch().path() / "a")});
  places.push_back({tree_at(stores.scratch().path() / "b"), store::PlaceAccess::read_only});
  places.push_back({tree_at(stores.scratch().path() / "c")});
  Store store(std::move(places), {});
  stores.keep(store, "k");
  CHECK(stores.open({"a"})->find(wanted("k")));
  CHECK_FALSE(stores.open({"b"})->find(wanted("k")));
  CHECK(stores.open({"c"})->find(wanted("k")));
  CHECK(store.places_asked() == std::vector<std::string>{"dir:a", "dir:b", "dir:c"});
}

TEST_CASE("results are written side by side", "[store]") {
  bool met = true;
  std::vector<ChainedPlace> places;
  places.push_back({std::make_unique<MeetingPlace>(met)});
  Store store(std::move(places), {});
  store.keep(result_of("one", {}), {});
  store.keep(result_of("two", {}), {});
  CHECK(store.finish().empty());
  CHECK(met);
}

TEST_CASE("others receive a file from the place of the machine", "[store]") {
  const Stores stores;
  std::vector<fs::path> files;
  std::vector<ChainedPlace> places;
  places.push_back({tree_at(stores.scratch().path() / "local", store::PlaceAccess::read_write,
                            Sharing::machine)});
  places.push_back({std::make_unique<ListingPlace>(files)});
  Store store(std::move(places), {});
  stores.keep(store, "k");
  REQUIRE(files.size() == 1);
  CHECK(files[0] == stores.scratch().path() / "local/cas" / sha256_hex("one"));
}

TEST_CASE("a result of a domain below is not found, one of a domain above is", "[store]") {
  using store::Domain;
  const Stores stores;
  stores.keep(*stores.open({"a"}, Domain::branch), "k");
  CHECK(stores.open({"a"}, Domain::pull_request)->find(wanted("k")));
  CHECK(stores.open({"a"}, Domain::branch)->find(wanted("k")));
  CHECK_FALSE(stores.open({"a"}, Domain::release)->find(wanted("k")));
  CHECK_FALSE(stores.open({"a"}, Domain::release)->find(kHandedOff));
}

TEST_CASE("no place receives anything of another domain than the run's", "[store]") {
  using store::Domain;
  for (const Domain own : {Domain::pull_request, Domain::branch}) {
    const Stores stores;
    stores.keep(*stores.open({"far"}, Domain::release), "k");
    const auto store = stores.open({"local", "near", "far"}, own);
    const auto found = store->find(wanted("k"));
    REQUIRE(found);
    REQUIRE(store->materialize(*found, found->result.outputs[0], stores.scratch().path() / "out"));
    CHECK(store->finish().empty());
    for (const char* place : {"local", "near"}) {
      CHECK_FALSE(fs::exists(stores.scratch().path() / place / "ac"));
      CHECK_FALSE(stores.open({place}, Domain::pull_request)->find(wanted("k")));
    }
  }
}

TEST_CASE("a skipped test does not hide a finished one in another place or domain", "[store]") {
  using store::Domain;
  const Stores stores;
  const auto keep = [&](const std::string& place, Domain domain, store::Ending ending,
                        const std::string& evidence) {
    store::StoredResult result = result_of("k", {});
    result.ending = ending;
    result.evidence = evidence;
    const auto store = stores.open({place}, domain);
    store->keep(result, {});
    CHECK(store->finish().empty());
  };
  keep("inspected", Domain::branch, store::Ending::skipped, "inspected");
  keep("loaded", Domain::branch, store::Ending::skipped, "loaded");
  keep("ran", Domain::branch, store::Ending::done, "ran");
  keep("both", Domain::branch, store::Ending::skipped, "loaded");
  keep("both", Domain::release, store::Ending::done, "ran");
  const auto found_in = [&](const std::vector<std::string>& places) {
    // The first place would be filled.
    std::vector<ChainedPlace> read;
    for (const std::string& place : places) {
      read.push_back({tree_at(stores.scratch().path() / place), store::PlaceAccess::read_only});
    }
    const auto found = Store(std::move(read), {Domain::branch}).find(wanted("k"));
    REQUIRE(found);
    return found->place + " " + found->result.evidence;
  };
  CHECK(found_in({"loaded", "ran"}) == "dir:ran ran");
  CHECK(found_in({"ran", "loaded"}) == "dir:ran ran");
  CHECK(found_in({"both"}) == "dir:both ran");
  CHECK(found_in({"inspected", "loaded", "both", "ran"}) == "dir:both ran");
  CHECK(found_in({"inspected", "loaded"}) == "dir:loaded loaded");
  CHECK(found_in({"loaded", "inspected"}) == "dir:loaded loaded");
}

TEST_CASE("a result at the address of another domain, key or step is a fault", "[store]") {
  const Stores stores;
  const fs::path root = stores.scratch().path() / "a";
  store::StoredResult poison = result_of("k", {});
  poison.writer.domain = store::Domain::pull_request;
  const store::Address release = store::result_address(store::Domain::release, sha256_hex("k"));
  const store::Address other = store::result_address(store::Domain::release, sha256_hex("other"));
  REQUIRE(tree_at(root)->put({release, other}, poison, {}));
  const auto store = stores.open({"a"}, store::Domain::release);
  CHECK_FALSE(store->find(wanted("k")));
  CHECK_FALSE(store->find(wanted("other")));
  const std::vector<Error> warnings = store->finish();
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].message == "the store `dir:a` could not be read: `" + release.hex +
                                   "` is not the address of the result of `build:cpu` that it has");
}

TEST_CASE("a blob that one place has damaged comes from the next", "[store]") {
  const Stores stores;
  stores.keep(*stores.open({"a", "b"}), "k");
  const fs::path blob = stores.scratch().path() / "a/cas" / sha256_hex("one");
  fs::permissions(blob, fs::perms::owner_all);
  std::ofstream(blob) << "two";
  const auto store = stores.open({"a", "b"});
  const auto found = store->find(wanted("k"));
  REQUIRE(found);
  REQUIRE(store->materialize(*found, found->result.outputs[0], stores.scratch().path() / "out"));
  CHECK(stores.scratch().read("out") == "one");
  CHECK(store->finish().size() == 1);
}

TEST_CASE("a blob that no place has intact is a miss that names the places", "[store]") {
  const Stores stores;
  stores.keep(*stores.open({"a"}), "k");
  const auto store = stores.open({"a"});
  const auto found = store->find(wanted("k"));
  REQUIRE(found);
  fs::remove(stores.scratch().path() / "a/cas" / sha256_hex("one"));
  const Done done =
      store->materialize(*found, found->result.outputs[0], stores.scratch().path() / "out");
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::transient);
  CHECK(done.error().message == "`file-0` of `build:cpu` is intact in no store: `dir:a`");
  CHECK_FALSE(fs::exists(stores.scratch().path() / "out"));
}

TEST_CASE("a place that fails is left alone after three faults, reading and writing apart",
          "[store]") {
  const Stores stores;
  FailingPlace::Counts counts;
  std::vector<ChainedPlace> places;
  places.push_back({std::make_unique<FailingPlace>(FaultKind::busy, counts)});
  places.push_back({tree_at(stores.scratch().path() / "a")});
  Store store(std::move(places), {});
  for (int i = 0; i < 5; ++i) {
    const std::string key = std::to_string(i);
    store.keep(result_of(key, {}), {});
    static_cast<void>(store.finish());
    CHECK(store.find(wanted(key)));
  }
  CHECK(counts.finds == 3);
  CHECK(counts.puts == 3);
}

TEST_CASE("faults are warnings, each once", "[store]") {
  FailingPlace::Counts counts;
  std::vector<ChainedPlace> places;
  places.push_back({std::make_unique<FailingPlace>(FaultKind::full, counts)});
  Store store(std::move(places), {});
  for (int i = 0; i < 4; ++i) CHECK_FALSE(store.find(wanted("k")));
  const std::vector<Error> warnings = store.finish();
  REQUIRE(warnings.size() == 4);
  CHECK(warnings[0].message == "the store `failing` could not be read: fault 1");
  CHECK(warnings[3].message ==
        "the store `failing` is not read any more in this run: it failed 3 times");
  CHECK(store.finish().empty());
}

TEST_CASE("a run that was stopped is no fault of a place", "[store]") {
  FailingPlace::Counts counts;
  std::vector<ChainedPlace> places;
  places.push_back({std::make_unique<FailingPlace>(FaultKind::stopped, counts)});
  Store store(std::move(places), {});
  for (int i = 0; i < 4; ++i) CHECK_FALSE(store.find(wanted("k")));
  CHECK(counts.finds == 8);  // in its own domain and the one above
  CHECK(store.finish().empty());
}

TEST_CASE("a file that changed before it was written is a warning", "[store]") {
  const Stores stores;
  const auto store = stores.open({"a"});
  store->keep(result_of("k", {"one"}), {{"file-0", stores.scratch().write("made/one", "two")}});
  REQUIRE(store->finish().size() == 1);
  CHECK_FALSE(store->find(wanted("k")));
}

TEST_CASE("a store without places has nothing and keeps nothing", "[store]") {
  Store store({}, {});
  CHECK(store.empty());
  CHECK_FALSE(store.find(wanted("k")));
  store.keep(result_of("k", {}), {});
  CHECK(store.finish().empty());
}

TEST_CASE("two that write one key leave one intact result", "[store]") {
  const Stores stores;
  const std::string large(1 << 20, 'x');
  const fs::path made = stores.scratch().write("made/large", large);
  std::vector<std::unique_ptr<Store>> writers;
  for (int i = 0; i < 4; ++i) {
    writers.push_back(stores.open({"a"}));
    for (int key = 0; key < 20; ++key) {
      writers.back()->keep(result_of(std::to_string(key), {large}), {{"file-0", made}});
    }
  }
  for (const auto& writer : writers) CHECK(writer->finish().empty());
  const auto reader = stores.open({"a"});
  for (int key = 0; key < 20; ++key) {
    const auto found = reader->find(wanted(std::to_string(key)));
    REQUIRE(found);
    REQUIRE(reader->materialize(*found, found->result.outputs[0], stores.scratch().path() / "out"));
  }
}

TEST_CASE("the store of a run is opened from descriptions", "[store]") {
  const Scratch scratch;
  StoreSetup setup;
  setup.cache = scratch.path();
  setup.environment = {{"GITHUB_RUN_ID", "4711"}};
  setup.places = {*store::parse_place("local"),
                  *store::parse_place("dir:" + (scratch.path() / "d").string() + ",ro")};
  const auto store = open_store(setup);
  REQUIRE(store);
  (*store)->keep(result_of("k", {}), {});
  CHECK((*store)->finish().empty());
  CHECK(fs::exists(scratch.path() / "store/ac"));
  CHECK_FALSE(fs::exists(scratch.path() / "d"));
  CHECK((*store)->find(wanted("k"))->result.writer.run == "4711");
}

}  // namespace pinwheel::host
