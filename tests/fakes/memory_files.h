#pragma once
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/files.h"

namespace pinwheel::fakes {

/// Files in memory, with a working directory. Keeps the changes in their order.
class MemoryFiles final : public ports::Files {
 public:
  explicit MemoryFiles(std::filesystem::path directory) : directory_(std::move(directory)) {
    make(directory_);
  }

  /// A file, and the directories above it.
  void put(const std::filesystem::path& path, std::string text) {
    contents_[key(path)] = std::move(text);
    add_parents(key(path));
  }
  void make(const std::filesystem::path& path) { add_parents(key(path) + "/x"); }
  std::string text(const std::filesystem::path& path) const {
    const auto found = contents_.find(key(path));
    return found == contents_.end() ? std::string() : found->second;
  }

  std::vector<std::string> changes = {};  ///< "write /repo/a", "make /repo/b", "remove /repo/c"
  std::vector<std::string> reads = {};
  /// A change whose line has this text fails; empty: none does.
  std::string refused = {};
  std::function<void(const std::string&)> on_change = [](const std::string&) {};

  Done write(const std::filesystem::path& path, std::string_view bytes,
             uint32_t /*mode*/ = 0644) override {
    TRY_DONE(change("write " + key(path)));
    put(path, std::string(bytes));
    return {};
  }
  Result<ports::FileStatus> status(const std::filesystem::path& path) override {
    const auto found = contents_.find(key(path));
    if (found != contents_.end()) {
      return ports::FileStatus{ports::FileType::regular, found->second.size(), 0644};
    }
    if (directories_.contains(key(path))) return ports::FileStatus{ports::FileType::directory};
    return ports::FileStatus{};
  }
  Result<std::filesystem::path> without_links(const std::filesystem::path& path) override {
    return std::filesystem::path(key(path));
  }
  Result<std::vector<std::string>> list(const std::filesystem::path& path) override {
    if (!directories_.contains(key(path))) return fail(ErrorKind::config, "no " + key(path));
    std::set<std::string> names;
    for (const auto& [name, text] : contents_) add_name(key(path), name, names);
    for (const std::string& name : directories_) add_name(key(path), name, names);
    return std::vector<std::string>(names.begin(), names.end());
  }
  Done make_directories(const std::filesystem::path& path) override {
    TRY_DONE(change("make " + key(path)));
    make(path);
    return {};
  }
  Done remove_all(const std::filesystem::path& path) override {
    TRY_DONE(change("remove " + key(path)));
    std::erase_if(contents_, [&](const auto& each) { return is_below(each.first, key(path)); });
    std::erase_if(directories_, [&](const auto& each) { return is_below(each, key(path)); });
    return {};
  }
  Done rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    TRY_DONE(change("rename " + key(to)));
    std::map<std::string, std::string> moved;
    for (const auto& [name, text] : contents_) {
      if (is_below(name, key(from))) moved[key(to) + name.substr(key(from).size())] = text;
    }
    std::erase_if(contents_, [&](const auto& each) { return is_below(each.first, key(from)); });
    std::erase_if(directories_, [&](const auto& each) { return is_below(each, key(from)); });
    make(to);
    for (auto& [name, text] : moved) put(name, std::move(text));
    return {};
  }
  Result<uint64_t> free_bytes(const std::filesystem::path& /*path*/) override { return 1U << 30U; }
  Result<std::unique_ptr<ports::FileLock>> lock(const std::filesystem::path& /*path*/,
                                                ports::IfLocked /*if_locked*/) override {
    return std::make_unique<ports::FileLock>();
  }
  Result<std::unique_ptr<ports::FileLock>> share_lock(
      const std::filesystem::path& /*path*/) override {
    return std::make_unique<ports::FileLock>();
  }

 private:
  std::string key(const std::filesystem::path& path) const {
    std::string name = (directory_ / path).lexically_normal().string();
    if (name.size() > 1 && name.back() == '/') name.pop_back();
    return name;
  }
  static bool is_below(const std::string& name, const std::string& directory) {
    return name == directory || name.starts_with(directory + "/");
  }
  static void add_name(const std::string& directory, const std::string& name,
                       std::set<std::string>& names) {
    if (name == directory || !is_below(name, directory)) return;
    const std::string rest = name.substr(directory.size() + 1);
    names.insert(rest.substr(0, rest.find('/')));
  }
  void add_parents(const std::string& name) {
    for (size_t at = name.rfind('/'); at != std::string::npos && at > 0;
         at = name.rfind('/', at - 1)) {
      directories_.insert(name.substr(0, at));
    }
  }
  Done change(const std::string& line) {
    if (!refused.empty() && line.find(refused) != std::string::npos) {
      return fail(ErrorKind::environment, "refused: " + line);
    }
    changes.push_back(line);
    on_change(line);
    return {};
  }
  Result<std::string> read_up_to(const std::filesystem::path& path,
                                 const ByteLimit& /*limit*/) override {
    const auto found = contents_.find(key(path));
    if (found == contents_.end()) return fail(ErrorKind::config, "no file " + key(path));
    reads.push_back(key(path));
    return found->second;
  }

  std::map<std::string, std::string> contents_ = {};
  std::set<std::string> directories_ = {};
  std::filesystem::path directory_;
};

}  // namespace pinwheel::fakes
