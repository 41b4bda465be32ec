#include "host/run/stored_checkpoints.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "host/store/tree_place.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Checkpoints in a directory, and files to save.
struct Saves {
  Scratch scratch = {};
  StoredCheckpoints checkpoints{[this]() -> Result<std::shared_ptr<Store>> {
    return checkpoints_directory(scratch.path() / "place", store::Domain::branch);
  }};
  run::CheckpointFiles files = {};

  std::string add(const std::string& contents) {
    const std::string sha256 = sha256_hex(contents);
    const fs::path path = scratch.path() / sha256;
    std::ofstream(path) << contents;
    files[sha256] = path;
    return sha256;
  }
  Result<uint64_t> save(const std::string& manifest) {
    const fs::path path = scratch.path() / "manifest.json";
    std::ofstream(path) << manifest;
    return checkpoints.save({"build:x", "key", path}, files);
  }
  /// The text of the newest checkpoint with a key; empty without one.
  std::string found(const std::string& key = "key") {
    const fs::path target = scratch.path() / "found.json";
    const Result<std::optional<uint64_t>> number = checkpoints.find("build:x", key, target);
    REQUIRE(number);
    return *number ? text_of(target) : std::string();
  }
};

/// A place on a disk that fails to send one blob while its name is in `silent`.
class SilentPlace final : public Place {
 public:
  SilentPlace(const fs::path& root, const std::string& silent)
      : place_({"dir:place",
                root,
                store::PlaceAccess::read_write,
                Sharing::shared,
                {"checkpoints", store::Domain::branch}}),
        silent_(silent) {}

  std::string name() const override { return place_.name(); }
  PlaceResult<std::optional<store::Entry>> find(const store::Address& address) override {
    return place_.find(address);
  }
  PlaceResult<bool> fetch(const store::Blob& blob, const fs::path& target) override {
    if (blob.sha256 != silent_) return place_.fetch(blob, target);
    return fault(FaultKind::busy, Error{ErrorKind::transient, "it answered 503"});
  }
  PlaceResult<PutOutcome> put(const std::vector<store::Address>& addresses,
                              const store::Entry& entry, const BlobFiles& blobs) override {
    return place_.put(addresses, entry, blobs);
  }

 private:
  TreePlace place_;
  const std::string& silent_;
};

/// Checkpoints like those of `Saves`, in the same directory, of a run whose place may fail.
struct SilentSaves {
  explicit SilentSaves(const Saves& saves) : root(saves.scratch.path() / "place") {}

  fs::path root;
  std::string silent = {};
  StoredCheckpoints checkpoints{[this]() -> Result<std::shared_ptr<Store>> {
    std::vector<StorePlace> places;
    places.push_back({std::make_unique<SilentPlace>(root, silent)});
    return std::make_shared<Store>(std::move(places), Store::Options{});
  }};

  /// Of the newest checkpoint; 0: none was found.
  uint64_t number() {
    const Result<std::optional<uint64_t>> found =
        checkpoints.find("build:x", "key", root.parent_path() / "found.json");
    REQUIRE(found);
    return found->value_or(0);
  }
};

}  // namespace

TEST_CASE("the newest checkpoint with a key is found, with its files", "[checkpoints]") {
  Saves saves;
  CHECK(saves.found().empty());
  const std::string first = saves.add("object");
  CHECK(saves.save("one") == 1);
  const std::string second = saves.add("another object");
  CHECK(saves.save("two") == 2);
  CHECK(saves.found() == "two");
  CHECK(saves.found("other key").empty());
  for (const std::string& sha256 : {first, second}) {
    const fs::path target = saves.scratch.path() / "fetched";
    REQUIRE(saves.checkpoints.fetch(sha256, fs::file_size(saves.files[sha256]), target));
    CHECK(sha256_hex(text_of(target)) == sha256);
  }
  CHECK(saves.checkpoints.warnings().empty());
}

TEST_CASE("a checkpoint of a finished build is not found, and a later one is", "[checkpoints]") {
  Saves saves;
  saves.add("object");
  REQUIRE(saves.save("one"));
  saves.checkpoints.forget("build:x", "key");
  CHECK(saves.found().empty());
  // Another run of the build has not ended yet.
  CHECK(saves.save("two") == 3);
  CHECK(saves.found() == "two");
}

TEST_CASE("a checkpoint that a run did not read is not replaced by a smaller one",
          "[checkpoints]") {
  Saves saves;
  saves.add("object");
  saves.add("another object");
  REQUIRE(saves.save("one"));
  const OpenStore open = [&saves]() -> Result<std::shared_ptr<Store>> {
    return checkpoints_directory(saves.scratch.path() / "place", store::Domain::branch);
  };
  StoredCheckpoints other(open);
  const fs::path manifest = saves.scratch.path() / "manifest.json";
  const run::CheckpointFiles fewer = {*saves.files.begin()};
  const Result<uint64_t> refused = other.save({"build:x", "key", manifest}, fewer);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "checkpoint 1, which this run did not read, has more files");
  CHECK(other.save({"build:x", "key", manifest}, saves.files) == 2);
  CHECK(other.save({"build:x", "key", manifest}, fewer) == 3);
  // The first run has not read that one, but it is not larger.
  CHECK(saves.save("two") == 4);
}

TEST_CASE("a damaged file of a checkpoint is not fetched", "[checkpoints]") {
  Saves saves;
  const std::string sha256 = saves.add("object");
  REQUIRE(saves.save("one"));
  CHECK(saves.found() == "one");
  const fs::path blob = saves.scratch.path() / "place" / "cas" / sha256;
  fs::permissions(blob, fs::perms::owner_all);
  std::ofstream(blob) << "damage";
  CHECK_FALSE(saves.checkpoints.fetch(sha256, 6, saves.scratch.path() / "fetched"));
  CHECK_FALSE(fs::exists(saves.scratch.path() / "fetched"));
}

TEST_CASE("a file that a place did not send is a transient fault until the place sends it",
          "[checkpoints]") {
  Saves saves;
  const std::string sha256 = saves.add("object");
  REQUIRE(saves.save("one"));
  SilentSaves other(saves);
  const fs::path target = saves.scratch.path() / "fetched";
  other.silent = sha256;
  CHECK(other.number() == 1);
  const Done fetched = other.checkpoints.fetch(sha256, 6, target);
  REQUIRE_FALSE(fetched);
  CHECK(fetched.error().kind == ErrorKind::transient);
  CHECK_FALSE(fs::exists(target));
  // The next attempt looks for the checkpoint again.
  other.silent.clear();
  CHECK(other.number() == 1);
  CHECK(other.checkpoints.fetch(sha256, 6, target));
  CHECK(text_of(target) == "object");
}

TEST_CASE("a file that no place has is none that may arrive later", "[checkpoints]") {
  Saves saves;
  const std::string sha256 = saves.add("object");
  REQUIRE(saves.save("one"));
  CHECK(saves.found() == "one");
  fs::remove(saves.scratch.path() / "place" / "cas" / sha256);
  const Done fetched = saves.checkpoints.fetch(sha256, 6, saves.scratch.path() / "fetched");
  REQUIRE_FALSE(fetched);
  CHECK(fetched.error().kind == ErrorKind::check);
}

TEST_CASE("a checkpoint whose text did not arrive is not replaced by a smaller one",
          "[checkpoints]") {
  Saves saves;
  saves.add("object");
  saves.add("another object");
  REQUIRE(saves.save("one"));
  SilentSaves other(saves);
  const fs::path text = saves.scratch.path() / "found.json";
  other.silent = sha256_hex("one");
  const Result<std::optional<uint64_t>> found = other.checkpoints.find("build:x", "key", text);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::transient);
  const fs::path manifest = saves.scratch.write("manifest.json", "two");
  const run::CheckpointFiles fewer = {*saves.files.begin()};
  CHECK_FALSE(other.checkpoints.save({"build:x", "key", manifest}, fewer));
}

TEST_CASE("a checkpoint whose text is damaged is replaced", "[checkpoints]") {
  Saves saves;
  saves.add("object");
  saves.add("another object");
  REQUIRE(saves.save("one"));
  const fs::path blob = saves.scratch.path() / "place" / "cas" / sha256_hex("one");
  fs::permissions(blob, fs::perms::owner_all);
  std::ofstream(blob) << "ONE";
  SilentSaves other(saves);
  const fs::path text = saves.scratch.path() / "found.json";
  const Result<std::optional<uint64_t>> found = other.checkpoints.find("build:x", "key", text);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::check);
  const fs::path manifest = saves.scratch.write("manifest.json", "two");
  const run::CheckpointFiles fewer = {*saves.files.begin()};
  CHECK(other.checkpoints.save({"build:x", "key", manifest}, fewer));
}

TEST_CASE("a checkpoint without one of its files is not found", "[checkpoints]") {
  Saves saves;
  const std::string sha256 = saves.add("object");
  REQUIRE(saves.save("one"));
  fs::remove(saves.scratch.path() / "place" / "cas" / sha256);
  CHECK(saves.found().empty());
}

TEST_CASE("a checkpoint may have more files than one entry lists", "[checkpoints]") {
  Saves saves;
  for (int i = 0; i < 4100; ++i) saves.add(fmt::format("object {}", i));
  CHECK(saves.save("many") == 1);
  CHECK(saves.found() == "many");
  const auto entries = [&saves] {
    return std::distance(fs::directory_iterator(saves.scratch.path() / "place" / "ac"),
                         fs::directory_iterator());
  };
  CHECK(entries() == 2);
  saves.checkpoints.forget("build:x", "key");
  CHECK(saves.found().empty());
}

TEST_CASE("all files of a checkpoint count before another one replaces it", "[checkpoints]") {
  Saves saves;
  for (int i = 0; i < 4100; ++i) saves.add(fmt::format("object {}", i));
  REQUIRE(saves.save("many"));
  SilentSaves other(saves);
  const fs::path manifest = saves.scratch.write("manifest.json", "fewer");
  run::CheckpointFiles fewer = saves.files;
  fewer.erase(fewer.begin());
  CHECK_FALSE(other.checkpoints.save({"build:x", "key", manifest}, fewer));
  CHECK(saves.found() == "many");
  CHECK(other.checkpoints.save({"build:x", "key", manifest}, saves.files) == 2);
}

TEST_CASE("a place that accepts nothing is an error that names the fault", "[checkpoints]") {
  Saves saves;
  saves.add("object");
  std::ofstream(saves.scratch.path() / "place") << "a file";
  const Result<uint64_t> saved = saves.save("one");
  REQUIRE_FALSE(saved);
  CHECK(saved.error().message == "no place of the store accepts checkpoints");
  REQUIRE(saved.error().causes.size() == 1);
  CHECK_FALSE(saves.checkpoints.warnings().empty());
}

}  // namespace pinwheel::host
