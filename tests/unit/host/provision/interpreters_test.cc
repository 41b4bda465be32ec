#include "host/provision/interpreters.h"

#include <map>
#include <set>

#include "unit/catch.h"

using namespace pinwheel;

namespace {

/// The existing programs, each with its output.
class FakeMachine final : public ports::Process {
 public:
  Result<ports::Captured> capture(const ports::Command& command) override {
    ports::Captured result;
    const auto it = prints.find(command.argv.at(0));
    if (it == prints.end()) return fail(ErrorKind::environment, "not found");
    result.exit.code = it->second.empty() ? 127 : 0;
    result.out = it->second;
    return result;
  }
  Result<ports::Exit> log(const ports::Command&, const std::filesystem::path&) override {
    return ports::Exit{};
  }
  std::map<std::string, std::string> prints;
};

class FakeFiles final : public ports::Files {
 public:
  explicit FakeFiles(const FakeMachine& machine) : machine_(machine) {}
  Result<std::string> read(const std::filesystem::path&) override { return refuse(); }
  Done write(const std::filesystem::path&, std::string_view, uint32_t) override { return refuse(); }
  Result<ports::FileStatus> status(const std::filesystem::path& path) override {
    const bool there = machine_.prints.contains(path.string());
    return ports::FileStatus{there ? ports::FileType::regular : ports::FileType::missing};
  }
  Result<std::vector<std::string>> list(const std::filesystem::path& path) override {
    std::set<std::string> names;
    for (const auto& entry : machine_.prints) {
      const std::string root = path.string() + "/";
      if (!entry.first.starts_with(root)) continue;
      names.insert(
          entry.first.substr(root.size(), entry.first.find('/', root.size()) - root.size()));
    }
    return std::vector<std::string>(names.begin(), names.end());
  }
  Done make_directories(const std::filesystem::path&) override { return refuse(); }
  Done remove_all(const std::filesystem::path&) override { return refuse(); }
  Done rename(const std::filesystem::path&, const std::filesystem::path&) override {
    return refuse();
  }
  Result<uint64_t> free_bytes(const std::filesystem::path&) override { return 0; }
  Result<std::unique_ptr<ports::FileLock>> lock(const std::filesystem::path&,
                                                ports::IfLocked) override {
    return refuse();
  }

 private:
  static tl::unexpected<Error> refuse() { return fail(ErrorKind::internal, "not expected"); }
  const FakeMachine& machine_;
};

std::string describes(const std::string& path, const std::string& version, bool free_threaded,
                      bool venv) {
  return R"({"path": ")" + path + R"(", "version": ")" + version +
         R"(", "implementation": "cpython", "free_threaded": )" +
         (free_threaded ? "true" : "false") +
         R"(, "platform": "linux-x86_64", "soabi": "cpython-x", "include_directory": "/i",
             "has_headers": true, "makes_environments": )" +
         (venv ? "true" : "false") + "}";
}

struct Setting {
  FakeMachine process;
  FakeFiles files{process};
  std::map<std::string, std::string> variables = {{"PATH", "/shims:/usr/bin"}, {"HOME", "/home/u"}};

  void add(const std::string& path, const std::string& version, bool free_threaded = false,
           bool venv = true) {
    process.prints[path] = describes(path, version, free_threaded, venv);
  }
  Result<env::Interpreter> find(const std::string& wanted) {
    return host::find_interpreter(files, process, variables, wanted);
  }
};

}  // namespace

TEST_CASE("a Python on PATH comes first, and shims that do not run are skipped") {
  Setting s;
  s.process.prints["/shims/python3.11"] = "";
  s.add("/usr/bin/python3.11", "3.11.2");
  s.add("/home/u/.pyenv/versions/3.11.7/bin/python", "3.11.7");
  const auto found = s.find("3.11");
  REQUIRE(found.has_value());
  CHECK(found->path == "/usr/bin/python3.11");
}

TEST_CASE("pyenv's newest and uv's Pythons are found without PATH") {
  Setting s;
  s.add("/home/u/.pyenv/versions/3.12.9/bin/python", "3.12.9");
  s.add("/home/u/.pyenv/versions/3.12.10/bin/python", "3.12.10");
  s.add("/home/u/.local/share/uv/python/cpython-3.14.0-linux-x86_64-gnu/bin/python", "3.14.0");
  REQUIRE(s.find("3.12").has_value());
  CHECK(s.find("3.12")->version == "3.12.10");
  REQUIRE(s.find("3.14").has_value());
  CHECK(s.find("3.14")->version == "3.14.0");
}

TEST_CASE("a free-threaded Python is used only if requested") {
  Setting s;
  s.add("/usr/bin/python3.13", "3.13.0", true);
  const auto plain = s.find("3.13");
  REQUIRE_FALSE(plain.has_value());
  CHECK(plain.error().kind == ErrorKind::environment);
  const auto threaded = s.find("3.13t");
  REQUIRE(threaded.has_value());
  CHECK(env::full_version(*threaded) == "3.13.0t");
}

TEST_CASE("the error for a Python that cannot create environments has the fix") {
  Setting s;
  s.add("/usr/bin/python3.11", "3.11.2", false, false);
  const auto found = s.find("3.11");
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().hint.find("python3.11-venv") != std::string::npos);
  s.add("/home/u/.pyenv/versions/3.11.7/bin/python", "3.11.7");
  REQUIRE(s.find("3.11").has_value());
  CHECK(s.find("3.11")->version == "3.11.7");
}
