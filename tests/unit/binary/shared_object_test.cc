#include "binary/shared_object.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/text.h"
#include "binary/elf.h"
#include "unit/catch.h"
#include "unit/command_output.h"

namespace pinwheel::binary {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr uint16_t kHere = 183;
#else
constexpr uint16_t kHere = 62;
#endif

class Directory {
 public:
  Directory() : path_(fs::temp_directory_path() / ("shared-object-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  fs::path write(const SharedObject& object) const {
    const Result<std::string> bytes = write_shared_object(object);
    REQUIRE(bytes);
    std::ofstream(path_ / object.soname, std::ios::binary) << *bytes;
    return path_ / object.soname;
  }

 private:
  fs::path path_;
};

/// Warnings too, in English.
std::string output_of_command(const std::string& command) {
  return output_of("LC_ALL=C " + command + " 2>&1");
}

/// A library of the running process, closed when it goes.
class Loaded {
 public:
  explicit Loaded(const fs::path& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    INFO((handle_ == nullptr ? dlerror() : ""));
    REQUIRE(handle_ != nullptr);
  }
  ~Loaded() { dlclose(handle_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  template <class T>
  T symbol(const char* name, const char* version) const {
    void* const found = version == nullptr ? dlsym(handle_, name) : dlvsym(handle_, name, version);
    REQUIRE(found != nullptr);
    return reinterpret_cast<T>(found);
  }
  bool lacks(const char* name, const char* version) const {
    return dlvsym(handle_, name, version) == nullptr;
  }

 private:
  void* handle_;
};

SharedObject example(uint16_t machine) {
  return {.machine = machine,
          .soname = "libexample.so.13",
          .versions = {"libexample.so.13", "EXTRA", "EMPTY"},
          .exports = {{"number", "libexample.so.13", ReturnsNumber{100}},
                      {"number", "EXTRA", ReturnsNumber{7}},
                      {"text", "EXTRA", ReturnsText{"no device"}},
                      {"plain", "", ReturnsNumber{65535}},
                      {"table", "libexample.so.13", ZeroedData{40}},
                      {"count", "", ZeroedData{4}}}};
}

std::vector<std::pair<std::string, std::string>> names_of(const std::vector<Symbol>& symbols) {
  std::vector<std::pair<std::string, std::string>> names;
  names.reserve(symbols.size());
  for (const Symbol& symbol : symbols) names.emplace_back(symbol.name, symbol.version);
  return names;
}

TEST_CASE("a written library reads back as its description") {
  for (const uint16_t machine : {62, 183}) {
    const SharedObject object = example(machine);
    const Result<std::string> bytes = write_shared_object(object);
    REQUIRE(bytes);
    CHECK(*bytes == write_shared_object(object).value_or(""));
    const Result<Elf> elf = read_elf(ports::MemorySource(*bytes));
    REQUIRE(elf);
    CHECK(elf->machine == machine);
    CHECK(elf->type == 3);
    CHECK(elf->soname == "libexample.so.13");
    CHECK(elf->needed.empty());
    CHECK(elf->undefined.empty());
    CHECK_FALSE(elf->executable_stack);
    using Names = std::vector<std::pair<std::string, std::string>>;
    CHECK(names_of(elf->defined) == Names{{"number", "libexample.so.13"},
                                          {"number", "EXTRA"},
                                          {"text", "EXTRA"},
                                          {"plain", ""},
                                          {"table", "libexample.so.13"},
                                          {"count", ""}});
    CHECK(elf->defined[0].kind == SymbolKind::function);
    CHECK(elf->defined[4].kind == SymbolKind::data);
  }
}

TEST_CASE("the loader finds each version of a symbol, and its function works") {
  const Directory directory;
  const Loaded library(directory.write(example(kHere)));
  using Number = int (*)();
  CHECK(library.symbol<Number>("number", nullptr)() == 100);
  CHECK(library.symbol<Number>("number", "libexample.so.13")() == 100);
  CHECK(library.symbol<Number>("number", "EXTRA")() == 7);
  CHECK(library.symbol<Number>("plain", nullptr)() == 65535);
  CHECK(std::string(library.symbol<const char* (*)()>("text", "EXTRA")()) == "no device");
  CHECK(library.lacks("text", "EMPTY"));
  char* const table = library.symbol<char*>("table", "libexample.so.13");
  CHECK(std::all_of(table, table + 40, [](char c) { return c == 0; }));
  std::fill_n(table, 40, 'x');
  CHECK(*library.symbol<int*>("count", nullptr) == 0);
}

TEST_CASE("readelf and nm agree with the description of the library") {
  const Directory directory;
  const std::string path = shell_quote(directory.write(example(kHere)).string());
  CHECK(output_of_command("readelf -aW " + path).find("Warning") == std::string::npos);
  CHECK(output_of_command("readelf -dW " + path).find("Library soname: [libexample.so.13]") !=
        std::string::npos);
  const std::string versions = output_of_command("readelf -VW " + path);
  for (const char* const version : {"libexample.so.13", "EXTRA", "EMPTY"}) {
    CHECK(versions.find(std::string("Name: ") + version) != std::string::npos);
  }
  std::istringstream lines(output_of_command("nm -D --with-symbol-versions " + path));
  std::set<std::string> symbols;
  for (std::string line; std::getline(lines, line);) symbols.insert(line.substr(17));
  CHECK(symbols == std::set<std::string>{"T number@@libexample.so.13", "T number@EXTRA",
                                         "T text@@EXTRA", "T plain", "B table@@libexample.so.13",
                                         "B count"});
}

TEST_CASE("a library without versions or symbols loads too") {
  const Directory directory;
  const Loaded bare(directory.write({.machine = kHere, .soname = "libbare.so"}));
  const Loaded plain(directory.write(
      {.machine = kHere, .soname = "libplain.so", .exports = {{"f", "", ReturnsNumber{1}}}}));
  CHECK(plain.symbol<int (*)()>("f", nullptr)() == 1);
}

std::string any_name(std::mt19937& random) {
  std::string name(1 + random() % 40, '\0');
  for (char& c : name) c = static_cast<char>(1 + random() % 255);
  return name;
}

TEST_CASE("any library reads back as it was written, with and without its section table") {
  std::mt19937 random(20260102);
  for (int round = 0; round < 300; ++round) {
    SharedObject object{.machine = static_cast<uint16_t>(random() % 2 == 0 ? 62 : 183),
                        .soname = any_name(random)};
    std::set<std::string> versions;
    for (uint32_t i = random() % 6; i > 0; --i) versions.insert(any_name(random));
    object.versions.assign(versions.begin(), versions.end());
    std::set<std::pair<std::string, std::string>> names;
    for (uint32_t i = random() % 60; i > 0; --i) {
      const size_t pick = random() % (object.versions.size() + 1);
      const std::string version =
          pick == object.versions.size() ? std::string() : object.versions[pick];
      names.emplace(any_name(random), version);
    }
    for (const auto& [name, version] : names) {
      object.exports.push_back({name, version, ReturnsNumber{static_cast<uint16_t>(random())}});
      if (random() % 3 == 0) object.exports.back().body = ReturnsText{any_name(random)};
      if (random() % 3 == 0) object.exports.back().body = ZeroedData{random() % 5000};
    }
    Result<std::string> bytes = write_shared_object(object);
    REQUIRE(bytes);
    for (int half = 0; half < 2; ++half) {
      const Result<Elf> elf = read_elf(ports::MemorySource(*bytes));
      REQUIRE(elf);
      CHECK(elf->soname == object.soname);
      CHECK(names_of(elf->defined) ==
            std::vector<std::pair<std::string, std::string>>(names.begin(), names.end()));
      std::fill_n(bytes->begin() + 40, 8, '\0');
      std::fill_n(bytes->begin() + 58, 6, '\0');
    }
  }
}

TEST_CASE("libraries of random names are found symbol by symbol") {
  const Directory directory;
  std::mt19937 random(7);
  SharedObject object{.machine = kHere, .soname = "librandom.so.1", .versions = {"V1", "V2"}};
  for (uint16_t i = 0; i < 700; ++i) {
    object.exports.push_back({fmt::format("f{:x}_{}", random(), i),
                              i % 3 == 0   ? ""
                              : i % 3 == 1 ? "V1"
                                           : "V2",
                              ReturnsNumber{i}});
  }
  const Loaded library(directory.write(object));
  for (uint16_t i = 0; i < 700; ++i) {
    const Export& symbol = object.exports[i];
    const char* const version = symbol.version.empty() ? nullptr : symbol.version.c_str();
    CHECK(library.symbol<int (*)()>(symbol.name.c_str(), version)() == i);
  }
}

TEST_CASE("an invalid description is rejected") {
  const auto refused = [](const SharedObject& object) {
    const Result<std::string> bytes = write_shared_object(object);
    return bytes ? std::string() : bytes.error().message;
  };
  CHECK(refused({.machine = 40, .soname = "a"}) ==
        "the library `a` cannot be written: unsupported machine 40");
  CHECK(refused({.soname = ""}) == "the library `` cannot be written: its name is invalid");
  CHECK(refused({.soname = "a", .versions = {"v", "v"}}) ==
        "the library `a` cannot be written: `v` is given twice");
  CHECK(refused({.soname = "a", .exports = {{"f", "v"}}}) ==
        "the library `a` cannot be written: it does not define `v`");
  CHECK(refused({.soname = "a", .exports = {{"f"}, {"f"}}}) ==
        "the library `a` cannot be written: `f` is given twice");
  CHECK(refused({.soname = "a", .exports = {{std::string("f\0g", 3)}}}) ==
        "the library `a` cannot be written: a symbol has no name");
}

}  // namespace
}  // namespace pinwheel::binary
