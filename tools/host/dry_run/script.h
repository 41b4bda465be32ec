#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/process.h"

namespace pinwheel::host {

/// A placeholder for a variable of the script: in quoted words it is put outside the quotes, so
/// that it is expanded when the script runs. `name` is letters, digits and `_`.
std::string script_variable(const std::string& name);

/// An argument as a bash word, quoted except for the script's own variables.
std::string script_word(const std::string& argument);

/// A command as a line of bash: its directory, exactly its environment, its argv, all quoted.
std::string script_line(const ports::Command& command);

/// The bash script of a dry run, and its paths. A run has them in its cache and its state
/// directory; in the script they are in its scratch directory.
class Script {
 public:
  /// A path that begins with `from` begins with `to` in the script, which creates it. `to` may have
  /// variables of the script.
  void move(const std::filesystem::path& from, const std::string& to);

  /// Whether a text names a path that the script creates.
  bool makes(std::string_view text) const;
  /// Whether any part of a command does.
  bool makes(const ports::Command& command) const;
  /// The text with the paths of the script.
  std::string moved(std::string text) const;
  ports::Command moved(ports::Command command) const;
  /// A text with the paths of the script, as a bash word.
  std::string word(const std::string& text) const;

  void add(std::string_view lines) { text_ += lines; }
  void make_directory(const std::filesystem::path& path);
  /// Makes the directory of the file, too.
  void write(const std::filesystem::path& path, std::string_view text);
  /// Removes a path if the script has made it or a file below it.
  void remove(const std::filesystem::path& path);
  /// Counts a file as written, without a line for it.
  void know(const std::filesystem::path& path) { files_.insert(path); }
  /// Whether the script has written this file.
  bool has_file(const std::filesystem::path& path) const { return files_.contains(path); }

  /// The lines that were added since the last call.
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::vector<std::pair<std::string, std::string>> moves_;
  std::set<std::filesystem::path> directories_;
  std::set<std::filesystem::path> files_;
  std::string text_;
};

}  // namespace pinwheel::host
