#include "host/store/tree_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include "host/store/blob_copy.h"
#include "store/action_result.h"
#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

const store::Address kAddress = store::entry_address(store::Domain::branch, "k");

mode_t mode_of(const fs::path& path) {
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("a place on disk gives back what it was given", "[store]") {
  const Scratch scratch;
  const auto place = tree_at(scratch.path() / "s");
  const store::Entry result = entry_of("k", {"one", ""});
  CHECK(*place->find(kAddress) == std::nullopt);
  CHECK(place->put({kAddress}, result, files_of(scratch, {"one", ""})) == PutOutcome::written);
  CHECK(*place->find(kAddress) == result);
  CHECK(place->fetch(blob_of("one"), scratch.path() / "out") == true);
  CHECK(scratch.read("out") == "one");
  CHECK(mode_of(scratch.path() / "out") == 0644);
  CHECK(place->fetch(blob_of("two"), scratch.path() / "none") == false);
  CHECK_FALSE(fs::exists(scratch.path() / "none"));
}

TEST_CASE("blobs on disk are named by their sha256, and cannot be written by mistake", "[store]") {
  const Scratch scratch;
  const auto place = tree_at(scratch.path() / "s");
  REQUIRE(place->put({kAddress}, entry_of("k", {"one"}), files_of(scratch, {"one"})));
  CHECK(mode_of(scratch.path() / "s/cas" / sha256_hex("one")) == 0444);
  CHECK(names_in(scratch.path() / "s/ac") == std::vector{kAddress.hex});
  // The blob, and the record of the result.
  CHECK(names_in(scratch.path() / "s/cas").size() == 2);
}

TEST_CASE("a file that is not what the result says is not kept", "[store]") {
  const Scratch scratch;
  const auto place = tree_at(scratch.path() / "s");
  BlobFiles files = files_of(scratch, {"one"});
  scratch.write("made/" + sha256_hex("one"), "two");
  const auto put = place->put({kAddress}, entry_of("k", {"one"}), files);
  REQUIRE_FALSE(put);
  CHECK(put.error().kind == FaultKind::wrong_bytes);
  CHECK(*place->find(kAddress) == std::nullopt);
  CHECK(names_in(scratch.path() / "s/cas").empty());
}

TEST_CASE("a blob is not copied to where it has no room", "[store]") {
  const Scratch scratch;
  BlobFile file(scratch.path() / "out", {sha256_hex("one"), uint64_t{1} << 60U}, {});
  file.write("one");
  REQUIRE_FALSE(file.written());
  const PlaceDone finished = file.finish();
  REQUIRE_FALSE(finished);
  CHECK(finished.error().kind == FaultKind::full);
}

TEST_CASE("a damaged blob is not served, and makes room for an intact one", "[store]") {
  const Scratch scratch;
  for (const std::string_view damage : {"two", "", "oneone"}) {
    CAPTURE(damage);
    const fs::path root = scratch.path() / ("s" + std::to_string(damage.size()));
    const auto place = tree_at(root);
    const BlobFiles files = files_of(scratch, {"one"});
    REQUIRE(place->put({kAddress}, entry_of("k", {"one"}), files));
    const fs::path blob = root / "cas" / sha256_hex("one");
    fs::permissions(blob, fs::perms::owner_all);
    std::ofstream(blob) << damage;
    const auto fetched = place->fetch(blob_of("one"), scratch.path() / "out");
    REQUIRE_FALSE(fetched);
    CHECK(fetched.error().kind == FaultKind::wrong_bytes);
    CHECK_FALSE(fs::exists(scratch.path() / "out"));
    CHECK(*place->find(kAddress) == std::nullopt);
    CHECK(place->put({kAddress}, entry_of("k", {"one"}), files) == PutOutcome::written);
    CHECK(place->fetch(blob_of("one"), scratch.path() / "out") == true);
    fs::remove(scratch.path() / "out");
  }
}

TEST_CASE("a damaged record or list of files is a fault", "[store]") {
  const Scratch scratch;
  const auto place = tree_at(scratch.path() / "s");
  REQUIRE(place->put({kAddress}, entry_of("k", {}), {}));
  const std::string action = scratch.read("s/ac/" + kAddress.hex);
  const store::Blob record = store::parse_action_result(action)->record;
  const fs::path blob = scratch.path() / "s/cas" / record.sha256;
  fs::permissions(blob, fs::perms::owner_all);
  std::ofstream(blob) << "{}";
  CHECK(place->find(kAddress).error().kind == FaultKind::wrong_bytes);
  scratch.write("s/ac/" + kAddress.hex, action.substr(0, action.size() / 2));
  CHECK(place->find(kAddress).error().kind == FaultKind::wrong_bytes);
  scratch.write("s/ac/" + kAddress.hex, std::string(10 << 20, ' '));
  CHECK(place->find(kAddress).error().kind == FaultKind::wrong_bytes);
}

TEST_CASE("a result whose file has another size is a fault", "[store]") {
  const Scratch scratch;
  REQUIRE(tree_at(scratch.path() / "s")
              ->put({kAddress}, entry_of("k", {"one"}), files_of(scratch, {"one"})));
  const fs::path blob = scratch.path() / "s/cas" / sha256_hex("one");
  fs::permissions(blob, fs::perms::owner_all);
  const auto place = tree_at(scratch.path() / "s", store::PlaceAccess::read_only);
  for (const uint64_t size : {uint64_t{0}, uint64_t{1} << 40U}) {
    fs::resize_file(blob, size);
    const auto found = place->find(kAddress);
    REQUIRE_FALSE(found);
    CHECK(found.error().kind == FaultKind::wrong_bytes);
    CHECK(found.error().error.message.find("bytes instead of 3") != std::string::npos);
  }
  fs::remove(blob);
  CHECK(*place->find(kAddress) == std::nullopt);
}

TEST_CASE("a place does not wait for what is no regular file", "[store]") {
  const Scratch scratch;
  const auto place = tree_at(scratch.path() / "s");
  REQUIRE(place->put({kAddress}, entry_of("k", {"one"}), files_of(scratch, {"one"})));
  const fs::path result = scratch.path() / "s/ac" / kAddress.hex;
  const fs::path blob = scratch.path() / "s/cas" / sha256_hex("one");
  fs::remove(blob);
  CHECK(*place->find(kAddress) == std::nullopt);
  REQUIRE(::mkfifo(blob.c_str(), 0600) == 0);
  CHECK(place->find(kAddress).error().kind == FaultKind::wrong_bytes);
  CHECK(place->fetch(blob_of("one"), scratch.path() / "out").error().kind ==
        FaultKind::wrong_bytes);
  fs::remove(result);
  fs::create_symlink("/dev/zero", result);
  CHECK(place->find(kAddress).error().kind == FaultKind::wrong_bytes);
  // As the file that is to be kept, too.
  const fs::path made = scratch.path() / "made/fifo";
  REQUIRE(::mkfifo(made.c_str(), 0600) == 0);
  CHECK(place->put({kAddress}, entry_of("k", {"one"}), {{blob_of("one"), made}}).error().kind ==
        FaultKind::wrong_bytes);
  CHECK(place->put({kAddress}, entry_of("k", {"one"}), files_of(scratch, {"one"})) ==
        PutOutcome::written);
  CHECK(place->fetch(blob_of("one"), scratch.path() / "out") == true);
}

TEST_CASE("a kept result stays, unless another shows more", "[store]") {
  const Scratch scratch;
  const auto place = tree_at(scratch.path() / "s");
  store::Entry skipped = entry_of("k", {});
  skipped.ending = store::Ending::skipped;
  store::Entry loaded = entry_of("k", {});
  loaded.evidence = "loaded";
  store::Entry ran = loaded;
  ran.evidence = "ran";
  CHECK(place->put({kAddress}, skipped, {}) == PutOutcome::written);
  CHECK(place->put({kAddress}, loaded, {}) == PutOutcome::written);
  CHECK(place->put({kAddress}, skipped, {}) == PutOutcome::present);
  CHECK(place->put({kAddress}, ran, {}) == PutOutcome::written);
  CHECK(place->put({kAddress}, loaded, {}) == PutOutcome::present);
  CHECK(*place->find(kAddress) == ran);
}

TEST_CASE("a read-only place is not changed", "[store]") {
  const Scratch scratch;
  REQUIRE(tree_at(scratch.path() / "s")
              ->put({kAddress}, entry_of("k", {"one"}), files_of(scratch, {"one"})));
  const auto before = names_in(scratch.path() / "s/runs");
  const auto place = tree_at(scratch.path() / "s", store::PlaceAccess::read_only);
  CHECK(*place->find(kAddress));
  CHECK(names_in(scratch.path() / "s/runs") == before);
  const fs::path blob = scratch.path() / "s/cas" / sha256_hex("one");
  fs::permissions(blob, fs::perms::owner_all);
  std::ofstream(blob) << "two";
  CHECK_FALSE(place->fetch(blob_of("one"), scratch.path() / "out"));
  CHECK(fs::exists(blob));
}

TEST_CASE("a place that does not exist has nothing, and appears with its first result", "[store]") {
  const Scratch scratch;
  const auto place = tree_at(scratch.path() / "a/b");
  CHECK(*place->find(kAddress) == std::nullopt);
  CHECK(place->fetch(blob_of("one"), scratch.path() / "out") == false);
  CHECK_FALSE(fs::exists(scratch.path() / "a"));
  CHECK(place->put({kAddress}, entry_of("k", {}), {}));
  CHECK(fs::exists(scratch.path() / "a/b/ac"));
}

TEST_CASE("a directory that cannot be made is a fault of the place", "[store]") {
  const Scratch scratch;
  scratch.write("file", "");
  const auto place = tree_at(scratch.path() / "file/s");
  CHECK(*place->find(kAddress) == std::nullopt);
  const auto put = place->put({kAddress}, entry_of("k", {}), {});
  REQUIRE_FALSE(put);
  CHECK(put.error().kind == FaultKind::unreachable);
}

TEST_CASE("a run holds what it found and kept", "[store]") {
  const Scratch scratch;
  const auto writer = tree_at(scratch.path() / "s");
  REQUIRE(writer->put({kAddress}, entry_of("k", {}), {}));
  const auto reader = tree_at(scratch.path() / "s");
  REQUIRE(*reader->find(kAddress));
  REQUIRE(*reader->find(kAddress));
  const std::vector<std::string> runs = names_in(scratch.path() / "s/runs");
  REQUIRE(runs.size() == 2);
  for (const std::string& run : runs) {
    const std::string text = scratch.read("s/runs/" + run);
    CHECK(text ==
          R"({"schema":"pinwheel-store-run/1","run":"r1","domain":"branch","publishes":false})"
          "\n" +
              kAddress.hex + "\n");
  }
}

TEST_CASE("the place of the machine tells where its blobs are, others do not", "[store]") {
  const Scratch scratch;
  const auto own = tree_at(scratch.path() / "s", store::PlaceAccess::read_write, Sharing::machine);
  REQUIRE(own->put({kAddress}, entry_of("k", {"one"}), files_of(scratch, {"one"})));
  CHECK(own->path_of(blob_of("one")) == scratch.path() / "s/cas" / sha256_hex("one"));
  CHECK(own->path_of(blob_of("two")) == std::nullopt);
  CHECK(tree_at(scratch.path() / "s")->path_of(blob_of("one")) == std::nullopt);
}

TEST_CASE("nobody can change a blob through the file that was made of it", "[store]") {
  const Scratch scratch;
  const auto own = tree_at(scratch.path() / "s", store::PlaceAccess::read_write, Sharing::machine);
  REQUIRE(own->put({kAddress}, entry_of("k", {"one"}), files_of(scratch, {"one"})));
  REQUIRE(own->fetch(blob_of("one"), scratch.path() / "out"));
  std::ofstream(scratch.path() / "out") << "changed";
  CHECK(scratch.read("s/cas/" + sha256_hex("one")) == "one");
  // As anybody else, a hard link is possible, and its mode forbids to write.
  if (::geteuid() != 0) CHECK((mode_of(scratch.path() / "out") & 0222U) == 0);
}

}  // namespace pinwheel::host
