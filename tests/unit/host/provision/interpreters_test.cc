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
  Result<std::string> read_up_to(const std::filesystem::path& path, const ByteLimit&) override {
    const auto text = texts.find(path.string());
    return text == texts.end() ? Result<std::string>(refuse()) : text->second;
  }
  Done write(const std::filesystem::path&, std::string_view, uint32_t) override { return refuse(); }
  Result<ports::FileStatus> status(const std::filesystem::path& path) override {
    const bool there = machine_.prints.contains(path.string()) || texts.contains(path.string());
    return ports::FileStatus{there ? ports::FileType::regular : ports::FileType::missing};
  }
  Result<std::vector<std::string>> list(const std::filesystem::path& path) override {
    std::set<std::string> names;
    std::map<std::string, std::string> all = machine_.prints;
    all.insert(texts.begin(), texts.end());
    for (const auto& entry : all) {
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
  Result<std::unique_ptr<ports::FileLock>> share_lock(const std::filesystem::path&) override {
    return refuse();
  }
  std::map<std::string, std::string> texts;

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
  std::filesystem::path cache = {};
  std::map<std::string, std::string> variables = {{"PATH", "/shims:/usr/bin"}, {"HOME", "/home/u"}};

  void add(const std::string& path, const std::string& version, bool free_threaded = false,
           bool venv = true) {
    process.prints[path] = describes(path, version, free_threaded, venv);
  }
  Result<env::Interpreter> find(const std::string& wanted) {
    return host::find_interpreter(files, process, variables, wanted, cache);
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

TEST_CASE("the Pythons of a runner of GitHub's are found without PATH") {
  Setting s;
  const std::string tools = "/opt/hostedtoolcache";
  s.add(tools + "/Python/3.9.25/x64/bin/python", "3.9.25");
  s.add(tools + "/Python/3.13.9/x64/bin/python", "3.13.9");
  s.add(tools + "/Python/3.13.11/x64/bin/python", "3.13.11");
  s.add(tools + "/Python/3.13.11/x64-freethreaded/bin/python", "3.13.11", true);
  s.process.prints[tools + "/Python/3.13.11/x64.complete"] = "";
  CHECK_FALSE(s.find("3.13"));
  s.variables["RUNNER_TOOL_CACHE"] = tools;
  REQUIRE(s.find("3.13").has_value());
  CHECK(s.find("3.13")->version == "3.13.11");
  REQUIRE(s.find("3.13t").has_value());
  CHECK(env::full_version(*s.find("3.13t")) == "3.13.11t");
  CHECK(s.find("3.9").has_value());
  CHECK_FALSE(s.find("3.10"));
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

TEST_CASE("uv's free-threaded Python is found by the mark in its directory's name") {
  Setting s;
  const std::string uv = "/home/u/.local/share/uv/python/";
  s.add(uv + "cpython-3.13.9-linux-x86_64-gnu/bin/python", "3.13.9");
  s.add(uv + "cpython-3.13.9+freethreaded-linux-x86_64-gnu/bin/python", "3.13.9", true);
  REQUIRE(s.find("3.13t").has_value());
  CHECK(env::full_version(*s.find("3.13t")) == "3.13.9t");
  CHECK(env::full_version(*s.find("3.13")) == "3.13.9");
}

TEST_CASE("Pythons of conda environments are found by conda's records") {
  Setting s;
  s.files.texts["/home/u/.conda/environments.txt"] = "/opt/envs/old\n/opt/envs/threads\n";
  s.files.texts["/opt/envs/old/conda-meta/python-3.12.4-h1_0_cpython.json"] = "{}";
  s.files.texts["/opt/envs/threads/conda-meta/python-3.13.9-h2_0_cp313t.json"] = "{}";
  s.files.texts["/opt/envs/threads/conda-meta/python_abi-3.13-0.json"] = "{}";
  s.add("/opt/envs/old/bin/python", "3.12.4");
  s.add("/opt/envs/threads/bin/python", "3.13.9", true);
  REQUIRE(s.find("3.13t").has_value());
  CHECK(s.find("3.13t")->path == "/opt/envs/threads/bin/python");
  CHECK(s.find("3.12")->path == "/opt/envs/old/bin/python");
  CHECK_FALSE(s.find("3.13").has_value());
  s.variables["MAMBA_ROOT_PREFIX"] = "/mamba";
  s.files.texts["/mamba/envs/plain/conda-meta/python-3.13.2-h3_0_cp313.json"] = "{}";
  s.add("/mamba/envs/plain/bin/python", "3.13.2");
  CHECK(s.find("3.13")->path == "/mamba/envs/plain/bin/python");
}

TEST_CASE("a Python that was fetched into the cache is found, once it is complete") {
  Setting s;
  s.cache = "/cache";
  const std::string prefix = "/cache/pythons/conda-1a2b";
  s.files.texts[prefix + "/conda-meta/python-3.14.1-h2_0_cp314.json"] = "{}";
  s.add(prefix + "/bin/python", "3.14.1");
  CHECK_FALSE(s.find("3.14").has_value());
  s.files.texts[prefix + "/pinwheel-complete.json"] = "{}";
  CHECK(s.find("3.14")->path == prefix + "/bin/python");
  const std::string uv = "/cache/pythons/uv/cpython-3.14.2-linux-x86_64-gnu/bin/python";
  s.add(uv, "3.14.2");
  CHECK(s.find("3.14")->path == uv);
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
