#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "container/engine.h"
#include "env/python_source.h"

namespace pinwheel::prepare {

enum class ColorMode { automatic, always, never };

enum class LogFormat { automatic, pretty, plain, json };

enum class Verbosity { quiet, normal, verbose, debug };

/// Options of every command.
struct GlobalOptions {
  ColorMode color = ColorMode::automatic;
  LogFormat log_format = LogFormat::automatic;
  Verbosity verbosity = Verbosity::normal;
  std::string log_file;
  std::string state_dir = ".pinwheel";
  std::string output_dir = "dist";
  /// Not an option: the plans, reports and stores that the command line names.
  std::vector<std::string> named_files = {};
  /// Not an option of every command: `RunOptions::logs_dir`.
  std::string logs_dir = {};
  /// Not an option: the command line itself, without the program.
  std::vector<std::string> arguments = {};
};

/// The matrix, and the selected part of it (docs/cli.md, "Selection").
struct SelectionOptions {
  std::vector<std::string>
      arguments;  ///< positional arguments: one may end in .yaml or .yml, the others are globs
  std::vector<std::string> selectors;
  std::vector<std::string> skip;
  std::vector<std::string> only;
  std::vector<std::string> status;
  std::string channel;
  uint64_t build_number = 0;  ///< of the wheels; 0: by the tag on HEAD, or none
  std::string shard;
  bool allow_empty = false;
  bool strict = false;
};

/// The engine and the Python source of environments; independent choices.
struct LevelOptions {
  container::Engine engine = container::Engine::host;
  std::optional<env::PythonSource> python = {};  ///< none: conda in containers, else venv
  std::vector<std::string> base_images;          ///< "IMAGE" or "COMPUTE=IMAGE"
  std::string network;                           ///< of containers; empty: the engine's default
  bool keep_failed = false;
  bool profile = false;  ///< the phases of compilers are measured (`plan/compiler_profile`)
};

/// Where results of finished steps are stored for other runs and machines.
struct StoreOptions {
  std::vector<std::string> places = {};  ///< in order; none: those of PINWHEEL_STORE
  std::string domain = {};               ///< empty: PINWHEEL_STORE_DOMAIN, else by the event
};

/// The bounds of transfers to an index, and how many there are at once; empty: the defaults.
struct TransferOptions {
  std::string min_speed = {};      ///< "1 KB", a second
  std::string transfer_time = {};  ///< "15 min"
  std::string uploads = {};        ///< files that are sent at the same time
};

/// Options of a run, shared by `build`, `test` and `release`.
struct RunOptions {
  SelectionOptions selection;
  LevelOptions levels;
  StoreOptions store = {};
  TransferOptions transfer;
  std::string plan_file;
  std::string executor = {};  ///< empty: by the configuration files
  std::string logs_dir = {};  ///< for the logs of its steps; empty: in the state directory
  std::string memory;
  std::string time_limit;          ///< "5h50m", since the start of the program; empty: none
  std::string checkpoints;         ///< the directory for checkpoints; empty: the store
  std::vector<std::string> steps;  ///< ids; empty: everything selected
  std::string changed_since = {};  ///< only steps whose keys differ from this commit's; empty: all
  std::vector<std::string> targets;
  std::vector<std::string> accept;
  std::string token_file;
  int jobs = 0;  ///< 0: the machine's cores
  bool unfinished_ok = false;
  bool keep_going = false;
  bool dry_run = false;
  bool refresh = false;
  bool no_lock = false;
  bool reuse_only = false;
  bool gate = false;
  bool insecure = false;
  bool json = false;
};

}  // namespace pinwheel::prepare
