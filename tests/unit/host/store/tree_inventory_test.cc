#include "host/store/tree_inventory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/text.h"
#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

store::Address address_of_key(const std::string& key) {
  return store::entry_address(store::Domain::branch, sha256_hex(key));
}

/// Makes everything in a place as old as that.
void age(const fs::path& root, std::chrono::hours hours) {
  const time_t then =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() - hours);
  const std::array<timespec, 2> times = {timespec{then, 0}, timespec{then, 0}};
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    REQUIRE(::utimensat(AT_FDCWD, entry.path().c_str(), times.data(), AT_SYMLINK_NOFOLLOW) == 0);
  }
}

store::CollectOptions now(uint64_t most_bytes = 0) {
  return {1, most_bytes, std::chrono::hours(24), std::chrono::system_clock::now()};
}

void put_aging(const Scratch& scratch, const std::string& key, const std::string& bytes) {
  REQUIRE(tree_at(scratch.path() / "s")
              ->put({address_of_key(key)}, entry_of(key, {bytes}), files_of(scratch, {bytes})));
}

/// Writes an entry of a plan to the place "from", under both of its addresses.
void put_in_from(const Scratch& scratch, const std::string& key, const std::string& plan,
                 store::Domain domain = store::Domain::branch) {
  store::Entry result = entry_of(key, {key});
  result.plan = plan.empty() ? "" : sha256_hex(plan);
  result.writer.domain = domain;
  std::vector<store::Address> addresses = {store::entry_address(domain, result.key)};
  if (!plan.empty()) {
    addresses.push_back(store::hand_off_address(domain, result.plan, result.step));
  }
  REQUIRE(tree_at(scratch.path() / "from")->put(addresses, result, files_of(scratch, {key})));
}

}  // namespace

TEST_CASE("what nobody used for long is removed, and nothing else", "[store]") {
  const Scratch scratch;
  const fs::path root = scratch.path() / "s";
  put_aging(scratch, "old", "old bytes");
  const std::string left = "." + sha256_hex("x") + ".0123";
  scratch.write("s/cas/" + left, "left by a killed process");
  scratch.write("s/ac/" + left, "left by a killed process");
  age(root, std::chrono::hours(48));
  put_aging(scratch, "new", "new bytes");
  REQUIRE(collect_tree(root, now(), DryRun::yes));
  CHECK(tree_at(root, store::PlaceAccess::read_only)->find(address_of_key("old"))->has_value());
  const auto removed = collect_tree(root, now(), DryRun::no);
  REQUIRE(removed);
  CHECK(removed->entries == std::vector{address_of_key("old"), store::Address{left}});
  CHECK(removed->runs.size() == 1);
  CHECK_FALSE(fs::exists(root / "cas" / sha256_hex("old bytes")));
  CHECK_FALSE(fs::exists(root / "cas" / left));
  CHECK_FALSE(fs::exists(root / "ac" / left));
  CHECK(tree_at(root)->find(address_of_key("new"))->has_value());
  CHECK(verify_tree(root).empty());
}

TEST_CASE("what a living run found stays", "[store]") {
  const Scratch scratch;
  const fs::path root = scratch.path() / "s";
  put_aging(scratch, "k", "bytes");
  const auto living = tree_at(root);
  REQUIRE(living->find(address_of_key("k"))->has_value());
  age(root, std::chrono::hours(48));
  CHECK(collect_tree(root, now(), DryRun::no)->entries.empty());
  CHECK(living->fetch(blob_of("bytes"), scratch.path() / "out") == true);
}

TEST_CASE("files that are not pinwheel's stay", "[store]") {
  const Scratch scratch;
  const fs::path root = scratch.path() / "s";
  put_aging(scratch, "old", "old bytes");
  const std::vector<std::string> foreign = {
      "runs/experiment.csv", "runs/other.json", "cas/important.txt",
      "cas/.abc.0123",       "ac/notes",        "ac/.abc.0123",
      "cas/.gitignore.0123",
  };
  for (const std::string& name : foreign) scratch.write("s/" + name, R"({"run":"r","domain":"d"})");
  fs::create_directory(root / "cas" / sha256_hex("directory"));
  age(root, std::chrono::hours(48));
  const auto removed = collect_tree(root, now(), DryRun::no);
  REQUIRE(removed);
  CHECK(removed->entries.size() == 1);
  CHECK(removed->runs.size() == 1);
  for (const std::string& name : foreign) CHECK(fs::exists(root / name));
  CHECK(fs::exists(root / "cas" / sha256_hex("directory")));
  CHECK(verify_tree(root).empty());
}

TEST_CASE("a run publishes only if its file says so", "[store]") {
  const Scratch scratch;
  const auto publishes = [&scratch](const std::string& header) {
    scratch.write("s/runs/r", header + "\n");
    const store::Inventory inventory = take_inventory(scratch.path() / "s");
    REQUIRE(inventory.runs.size() == 1);
    return inventory.runs[0].publishes;
  };
  const std::string begin = R"({"schema":"pinwheel-store-run/1","run":"r","domain":)";
  CHECK(publishes(begin + R"("branch","publishes":true})"));
  CHECK_FALSE(publishes(begin + R"("release","publishes":false})"));
  CHECK_FALSE(publishes(begin + R"("release","publishes":"yes"})"));
  CHECK_FALSE(publishes(begin + R"("release"})"));
  CHECK_FALSE(publishes(begin + R"("branch"})"));
}

TEST_CASE("an inventory waits for nothing, and reads no more than a record may have", "[store]") {
  const Scratch scratch;
  const fs::path root = scratch.path() / "s";
  put_aging(scratch, "k", "bytes");
  fs::create_symlink("/dev/zero", root / "ac" / sha256_hex("zero"));
  fs::resize_file(scratch.write("s/ac/" + sha256_hex("sparse"), ""), 1UL << 40U);
  fs::resize_file(scratch.write("s/runs/sparse", ""), 1UL << 40U);
  for (const char* kind : {"ac", "cas", "runs"}) {
    REQUIRE(::mkfifo((root / kind / sha256_hex("fifo")).c_str(), 0600) == 0);
  }
  CHECK(read_entries(root).size() == 1);
  CHECK(take_inventory(root).damaged.size() == 3);
  CHECK(verify_tree(root).size() == 4);
  age(root, std::chrono::hours(48));
  CHECK(collect_tree(root, now(), DryRun::no));
  CHECK(verify_tree(root).empty());
  CHECK(fs::exists("/dev/zero"));
}

TEST_CASE("a damaged result goes when it is old", "[store]") {
  const Scratch scratch;
  const fs::path root = scratch.path() / "s";
  scratch.write("s/ac/" + sha256_hex("x"), "{");
  CHECK(collect_tree(root, now(), DryRun::no)->entries.empty());
  CHECK(verify_tree(root).size() == 1);
  age(root, std::chrono::hours(48));
  CHECK(collect_tree(root, now(), DryRun::yes)->entries.size() == 1);
  CHECK(verify_tree(root).size() == 1);
  CHECK(collect_tree(root, now(), DryRun::no)->entries.size() == 1);
  CHECK(verify_tree(root).empty());
}

TEST_CASE("a place that does not exist has nothing to remove", "[store]") {
  const Scratch scratch;
  CHECK(collect_tree(scratch.path() / "none", now(), DryRun::no)->entries.empty());
  CHECK_FALSE(fs::exists(scratch.path() / "none"));
  CHECK(verify_tree(scratch.path() / "none").empty());
}

TEST_CASE("verification finds what is damaged, missing or unreadable", "[store]") {
  const Scratch scratch;
  const fs::path root = scratch.path() / "s";
  put_aging(scratch, "a", "first");
  put_aging(scratch, "b", "second");
  CHECK(verify_tree(root).empty());
  CHECK(read_entries(root).size() == 2);
  const fs::path blob = root / "cas" / sha256_hex("first");
  fs::permissions(blob, fs::perms::owner_all);
  std::ofstream(blob) << "FIRST";
  fs::remove(root / "cas" / sha256_hex("second"));
  scratch.write("s/ac/" + sha256_hex("x"), "{");
  const std::vector<std::string> wrong = verify_tree(root);
  REQUIRE(wrong.size() == 3);
  CHECK(std::count(wrong.begin(), wrong.end(),
                   "`cas/" + sha256_hex("first") + "` has the sha256 " + sha256_hex("FIRST")) == 1);
  CHECK(std::count(wrong.begin(), wrong.end(),
                   "`cas/" + sha256_hex("second") + "`, which `ac/" + address_of_key("b").hex +
                       "` needs, is missing") == 1);
  CHECK(std::count(wrong.begin(), wrong.end(), "`ac/" + sha256_hex("x") + "` cannot be read") == 1);
}

TEST_CASE("verification does not read files that are wrong by their size", "[store]") {
  const Scratch scratch;
  const fs::path root = scratch.path() / "s";
  put_aging(scratch, "a", "first");
  put_aging(scratch, "b", "second");
  put_aging(scratch, "c", "third");
  const fs::path blob = root / "cas" / sha256_hex("first");
  fs::permissions(blob, fs::perms::owner_all);
  fs::resize_file(blob, 1UL << 40U);
  fs::resize_file(scratch.write("s/cas/" + sha256_hex("unused"), ""), 1UL << 40U);
  std::set<size_t> hashed;
  const std::vector<std::string> wrong =
      verify_tree(root, [&hashed](const VerifyProgress& now) { hashed.insert(now.files); });
  CHECK(wrong == std::vector<std::string>{
                     "`cas/" + sha256_hex("first") + "`, which `ac/" + address_of_key("a").hex +
                         "` needs, has 1099511627776 bytes instead of 5",
                     "`cas/" + sha256_hex("unused") +
                         "` is larger than the limit of 20 GB for a file of a store"});
  CHECK(hashed == std::set<size_t>{1, 2, 3, 4, 5});
}

TEST_CASE("nothing is removed through a link", "[store]") {
  for (const std::string name : {"cas", "ac", "runs"}) {
    const Scratch scratch;
    const fs::path root = scratch.path() / "s";
    put_aging(scratch, "old", "old bytes");
    fs::rename(root / name, scratch.path() / "elsewhere");
    fs::create_directory_symlink(scratch.path() / "elsewhere", root / name);
    scratch.write("elsewhere/" + sha256_hex("mine"), "somebody else's");
    age(root, std::chrono::hours(48));
    age(scratch.path() / "elsewhere", std::chrono::hours(48));
    const auto removed = collect_tree(root, now(), DryRun::no);
    REQUIRE_FALSE(removed);
    CHECK(removed.error().message == quoted((root / name).string()) + " is not a directory");
    CHECK(fs::exists(scratch.path() / "elsewhere" / sha256_hex("mine")));
  }
}

TEST_CASE("who waits for a lock says who holds it, and a stop ends the waiting", "[store]") {
  const Scratch scratch;
  const TreeLock held(scratch.path(), TreeLock::Kind::exclusive);
  std::stop_source stop;
  std::string lines;
  const TreeLock lock(
      scratch.path(), TreeLock::Kind::shared,
      [&](const std::string& line) {
        lines += line;
        stop.request_stop();
      },
      stop.get_token());
  CHECK(lock.stopped());
  const std::string expected = "waiting for " + quoted((scratch.path() / "lock").string()) +
                               ": process " + std::to_string(::getpid()) + " (`unit_host_store`)";
  CHECK(lines.starts_with(expected));
  CHECK(lines.find(" has held it for ") != std::string::npos);
  CHECK_FALSE(held.stopped());
}

TEST_CASE("the wanted results are copied, and no others", "[store]") {
  const Scratch scratch;
  put_in_from(scratch, "a", "plan");
  put_in_from(scratch, "b", "");
  const auto to = tree_at(scratch.path() / "to");
  const auto wanted = [](const store::Entry& result) { return result.plan == sha256_hex("plan"); };
  const auto copied = copy_entries(scratch.path() / "from", *to, wanted);
  REQUIRE(copied);
  CHECK(copied->copied == 2);
  CHECK(copied->left_out == 1);
  CHECK(to->fetch(blob_of("a"), scratch.path() / "out") == true);
  CHECK(to->fetch(blob_of("b"), scratch.path() / "out") == false);
  CHECK(copy_entries(scratch.path() / "from", *to, wanted)->there_already == 2);
}

TEST_CASE("a result at an address that is not its own is not copied", "[store]") {
  const Scratch scratch;
  store::Entry poison = entry_of("k", {});
  REQUIRE(tree_at(scratch.path() / "from")
              ->put({store::entry_address(store::Domain::release, poison.key)}, poison, {}));
  const auto to = tree_at(scratch.path() / "to");
  CHECK(copy_entries(scratch.path() / "from", *to, [](const auto&) { return true; })->left_out ==
        1);
}

TEST_CASE("a damaged blob does not end the copy", "[store]") {
  const Scratch scratch;
  for (const char* key : {"a", "b", "c", "d"}) put_in_from(scratch, key, "");
  const auto blob = [&scratch](const std::string& bytes) {
    return scratch.path() / "from/cas" / sha256_hex(bytes);
  };
  std::filesystem::remove(blob("b"));
  for (const auto& [key, damage] : {std::pair("a", "x"), std::pair("c", "longer")}) {
    std::filesystem::permissions(blob(key), std::filesystem::perms::owner_all);
    std::ofstream(blob(key)) << damage;
  }
  const auto to = tree_at(scratch.path() / "to");
  const auto copied = copy_entries(scratch.path() / "from", *to, [](const auto&) { return true; });
  REQUIRE(copied);
  CHECK(copied->copied == 1);
  CHECK(copied->damaged == std::set<std::string>{"build:cpu"});
  CHECK(to->fetch(blob_of("d"), scratch.path() / "out") == true);
}

TEST_CASE("a fault of the place that is copied to ends the copy", "[store]") {
  const Scratch scratch;
  put_in_from(scratch, "a", "");
  scratch.write("file", "");
  const auto to = tree_at(scratch.path() / "file/to");
  CHECK_FALSE(copy_entries(scratch.path() / "from", *to, [](const auto&) { return true; }));
}

TEST_CASE("a damaged blob is not there already for a copy", "[store]") {
  const Scratch scratch;
  put_in_from(scratch, "a", "");
  const auto all = [](const auto&) { return true; };
  REQUIRE(copy_entries(scratch.path() / "from", *tree_at(scratch.path() / "to"), all));
  const auto blob = scratch.path() / "to/cas" / sha256_hex("a");
  std::filesystem::permissions(blob, std::filesystem::perms::owner_all);
  std::ofstream(blob) << "b";
  TreePlace to({"dir:to",
                scratch.path() / "to",
                store::PlaceAccess::read_write,
                Sharing::shared,
                {"r1"},
                Presence::digest});
  CHECK(copy_entries(scratch.path() / "from", to, all)->copied == 1);
  CHECK(scratch.read("to/cas/" + sha256_hex("a")) == "a");
  CHECK(copy_entries(scratch.path() / "from", to, all)->there_already == 1);
}

}  // namespace pinwheel::host
