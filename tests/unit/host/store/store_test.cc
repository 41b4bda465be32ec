#include "host/store/store.h"

#include <condition_variable>
#include <mutex>

#include "host/store/open_store.h"
#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// A place where a result waits until another arrives, too.
class MeetingPlace final : public Place {
 public:
  explicit MeetingPlace(bool& met) : met_(met) {}

  std::string name() const override { return "meeting"; }
  PlaceResult<std::optional<store::Entry>> find(const store::Address&) override {
    return std::nullopt;
  }
  PlaceResult<bool> fetch(const store::Blob&, const fs::path&) override { return false; }
  PlaceResult<PutOutcome> put(const std::vector<store::Address>&, const store::Entry&,
                              const BlobFiles&) override {
    constexpr auto kHang = std::chrono::minutes(1);
    std::unique_lock lock(mutex_);
    ++present_;
    changed_.notify_all();
    met_ = changed_.wait_for(lock, kHang, [this] { return present_ == 2; }) && met_;
    return PutOutcome::written;
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
  PlaceResult<std::optional<store::Entry>> find(const store::Address&) override {
    return std::nullopt;
  }
  PlaceResult<bool> fetch(const store::Blob&, const fs::path&) override { return false; }
  PlaceResult<PutOutcome> put(const std::vector<store::Address>&, const store::Entry&,
                              const BlobFiles& files) override {
    for (const auto& [blob, path] : files) files_.push_back(path);
    return PutOutcome::written;
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
    std::vector<StorePlace> places;
    for (const std::string& name : names) {
      const bool local = name.starts_with("local");
      places.push_back({tree_at(scratch_.path() / name, store::PlaceAccess::read_write,
                                local ? Sharing::machine : Sharing::shared)});
    }
    return std::make_unique<Store>(std::move(places), Store::Options{domain, "r2"});
  }

  /// Keeps a result with the one output "one", under the key and the step of a plan.
  void put(Store& store, const std::string& key) const {
    store::Entry result = entry_of(key, {"one"});
    result.plan = sha256_hex("plan");
    store.put(result, {{"file-0", scratch_.write("made/one", "one")}});
    CHECK(store.finish().empty());
  }

 private:
  Scratch scratch_;
};

EntryQuery wanted(const std::string& key) {
  return {"build:cpu", sha256_hex(key)};
}

const EntryQuery kHandedOff = {"build:cpu", {}, sha256_hex("plan")};

}  // namespace

TEST_CASE("a result is found by its key and by its step of a plan", "[store]") {
  const Stores stores;
  const auto store = stores.open({"a"});
  CHECK_FALSE(store->find(wanted("k")));
  stores.put(*store, "k");
  for (const EntryQuery& one : {wanted("k"), kHandedOff}) {
    const auto found = stores.open({"a"})->find(one);
    REQUIRE(found);
    CHECK(found->place == "dir:a");
    CHECK(found->entry.writer.run == "r2");
    CHECK(found->entry.key == sha256_hex("k"));
  }
  CHECK_FALSE(store->find(wanted("other")));
  CHECK_FALSE(store->find({"build:cu130", {}, sha256_hex("plan")}));
}

TEST_CASE("reading fills the places before", "[store]") {
  const Stores stores;
  stores.put(*stores.open({"far"}), "k");
  const auto store = stores.open({"local", "near", "far"});
  const auto found = store->find(wanted("k"));
  REQUIRE(found);
  CHECK(found->place == "dir:far");
  REQUIRE(store->fetch(*found, found->entry.outputs[0], stores.scratch().path() / "out/file"));
  CHECK(store->finish().empty());
  CHECK(stores.scratch().read("out/file") == "one");
  CHECK(stores.open({"local"})->find(wanted("k")));
  CHECK(stores.open({"near"})->find(wanted("k")));
}

TEST_CASE("a blob is fetched by its digest alone, from the first place that has it intact",
          "[store]") {
  const Stores stores;
  stores.put(*stores.open({"far"}), "k");
  const auto store = stores.open({"near", "far"});
  const fs::path target = stores.scratch().path() / "one";
  CHECK(store->fetch_blob(blob_of("one"), target) == true);
  CHECK(stores.scratch().read("one") == "one");
  CHECK(store->fetch_blob(blob_of("two"), stores.scratch().path() / "two") == false);
  CHECK_FALSE(fs::exists(stores.scratch().path() / "two"));
}

TEST_CASE("writing goes to all places that may be written", "[store]") {
  const Stores stores;
  std::vector<StorePlace> places;
  places.push_back({tree_at(stores.scratch().path() / "a")});
  places.push_back({tree_at(stores.scratch().path() / "b"), store::PlaceAccess::read_only});
  places.push_back({tree_at(stores.scratch().path() / "c")});
  Store store(std::move(places), {});
  stores.put(store, "k");
  CHECK(stores.open({"a"})->find(wanted("k")));
  CHECK_FALSE(stores.open({"b"})->find(wanted("k")));
  CHECK(stores.open({"c"})->find(wanted("k")));
  CHECK(store.queried_places() == std::vector<std::string>{"dir:a", "dir:b", "dir:c"});
}

TEST_CASE("results are written side by side", "[store]") {
  bool met = true;
  std::vector<StorePlace> places;
  places.push_back({std::make_unique<MeetingPlace>(met)});
  Store store(std::move(places), {});
  store.put(entry_of("one", {}), {});
  store.put(entry_of("two", {}), {});
  CHECK(store.finish().empty());
  CHECK(met);
}

TEST_CASE("others receive a file from the place of the machine", "[store]") {
  const Stores stores;
  std::vector<fs::path> files;
  std::vector<StorePlace> places;
  places.push_back({tree_at(stores.scratch().path() / "local", store::PlaceAccess::read_write,
                            Sharing::machine)});
  places.push_back({std::make_unique<ListingPlace>(files)});
  Store store(std::move(places), {});
  stores.put(store, "k");
  REQUIRE(files.size() == 1);
  CHECK(files[0] == stores.scratch().path() / "local/cas" / sha256_hex("one"));
}

TEST_CASE("a result of a domain below is not found, one of a domain above is", "[store]") {
  using store::Domain;
  const Stores stores;
  stores.put(*stores.open({"a"}, Domain::branch), "k");
  CHECK(stores.open({"a"}, Domain::pull_request)->find(wanted("k")));
  CHECK(stores.open({"a"}, Domain::branch)->find(wanted("k")));
  CHECK_FALSE(stores.open({"a"}, Domain::release)->find(wanted("k")));
  CHECK_FALSE(stores.open({"a"}, Domain::release)->find(kHandedOff));
}

TEST_CASE("no place receives anything of another domain than the run's", "[store]") {
  using store::Domain;
  for (const Domain own : {Domain::pull_request, Domain::branch}) {
    const Stores stores;
    stores.put(*stores.open({"far"}, Domain::release), "k");
    const auto store = stores.open({"local", "near", "far"}, own);
    const auto found = store->find(wanted("k"));
    REQUIRE(found);
    REQUIRE(store->fetch(*found, found->entry.outputs[0], stores.scratch().path() / "out"));
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
  const auto put = [&](const std::string& place, Domain domain, store::Ending ending,
                       const std::string& evidence) {
    store::Entry result = entry_of("k", {});
    result.ending = ending;
    result.evidence = evidence;
    const auto store = stores.open({place}, domain);
    store->put(result, {});
    CHECK(store->finish().empty());
  };
  put("inspected", Domain::branch, store::Ending::skipped, "inspected");
  put("loaded", Domain::branch, store::Ending::skipped, "loaded");
  put("ran", Domain::branch, store::Ending::done, "ran");
  put("both", Domain::branch, store::Ending::skipped, "loaded");
  put("both", Domain::release, store::Ending::done, "ran");
  const auto found_in = [&](const std::vector<std::string>& places) {
    // The first place would be filled.
    std::vector<StorePlace> read;
    for (const std::string& place : places) {
      read.push_back({tree_at(stores.scratch().path() / place), store::PlaceAccess::read_only});
    }
    const auto found = Store(std::move(read), {Domain::branch}).find(wanted("k"));
    REQUIRE(found);
    return found->place + " " + found->entry.evidence;
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
  store::Entry poison = entry_of("k", {});
  poison.writer.domain = store::Domain::pull_request;
  const store::Address release = store::entry_address(store::Domain::release, sha256_hex("k"));
  const store::Address other = store::entry_address(store::Domain::release, sha256_hex("other"));
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
  stores.put(*stores.open({"a", "b"}), "k");
  const fs::path blob = stores.scratch().path() / "a/cas" / sha256_hex("one");
  fs::permissions(blob, fs::perms::owner_all);
  std::ofstream(blob) << "two";
  const auto store = stores.open({"a", "b"});
  const auto found = store->find(wanted("k"));
  REQUIRE(found);
  REQUIRE(store->fetch(*found, found->entry.outputs[0], stores.scratch().path() / "out"));
  CHECK(stores.scratch().read("out") == "one");
  CHECK(store->finish().size() == 1);
}

TEST_CASE("a blob that no place has intact is a miss that names the places", "[store]") {
  const Stores stores;
  stores.put(*stores.open({"a"}), "k");
  const auto store = stores.open({"a"});
  const auto found = store->find(wanted("k"));
  REQUIRE(found);
  fs::remove(stores.scratch().path() / "a/cas" / sha256_hex("one"));
  const Done done = store->fetch(*found, found->entry.outputs[0], stores.scratch().path() / "out");
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::transient);
  CHECK(done.error().message == "`file-0` of `build:cpu` is intact in no store: `dir:a`");
  CHECK_FALSE(fs::exists(stores.scratch().path() / "out"));
}

TEST_CASE("a file that changed before it was written is a warning", "[store]") {
  const Stores stores;
  const auto store = stores.open({"a"});
  store->put(entry_of("k", {"one"}), {{"file-0", stores.scratch().write("made/one", "two")}});
  REQUIRE(store->finish().size() == 1);
  CHECK_FALSE(store->find(wanted("k")));
}

TEST_CASE("a store without places has nothing and keeps nothing", "[store]") {
  Store store({}, {});
  CHECK(store.empty());
  CHECK_FALSE(store.find(wanted("k")));
  store.put(entry_of("k", {}), {});
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
      writers.back()->put(entry_of(std::to_string(key), {large}), {{"file-0", made}});
    }
  }
  for (const auto& writer : writers) CHECK(writer->finish().empty());
  const auto reader = stores.open({"a"});
  for (int key = 0; key < 20; ++key) {
    const auto found = reader->find(wanted(std::to_string(key)));
    REQUIRE(found);
    REQUIRE(reader->fetch(*found, found->entry.outputs[0], stores.scratch().path() / "out"));
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
  (*store)->put(entry_of("k", {}), {});
  CHECK((*store)->finish().empty());
  CHECK(fs::exists(scratch.path() / "store/ac"));
  CHECK_FALSE(fs::exists(scratch.path() / "d"));
  CHECK((*store)->find(wanted("k"))->entry.writer.run == "4711");
}

}  // namespace pinwheel::host
