#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/engine.h"
#include "env/python_source.h"

namespace pinwheel::cli {

/// The name of stdout, where an option takes a file to write.
inline constexpr std::string_view kStdout = "-";

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
  /// No option: the plans, reports and stores that the command line names.
  std::vector<std::string> named_files = {};
  /// No option: the command line itself, without the program.
  std::vector<std::string> arguments = {};
};

/// The matrix, and the selected part of it (tools/cli/README.md, "Selection").
struct SelectionOptions {
  std::vector<std::string>
      arguments;  ///< positional arguments: one may end in .yaml or .yml, the others are globs
  std::vector<std::string> selectors;
  std::vector<std::string> skip;
  std::vector<std::string> only;
  std::vector<std::string> status;
  std::string channel;
  std::string shard;
  bool allow_empty = false;
  bool strict = false;
};

/// The engine and the Python source of environments; independent choices.
struct LevelOptions {
  env::Engine engine = env::Engine::host;
  std::optional<env::PythonSource> python = {};  ///< none: conda in containers, else venv
  std::vector<std::string> base_images;          ///< "IMAGE" or "COMPUTE=IMAGE"
  std::string network;                           ///< of containers; empty: the engine's default
  bool keep_failed = false;
};

enum class PlanFormat { table, ids, json, github, support_table, dot, fingerprint };
enum class StageRows { build, test };

struct PlanCommand {
  SelectionOptions selection;
  LevelOptions levels;
  PlanFormat format = PlanFormat::table;
  StageRows stage = StageRows::test;
  int shards = 0;
  std::string plan_file;
  std::optional<std::string> chunk = {};  ///< of the rows of a frozen plan: "2", or "2/4"
  std::string out;
  bool no_lock = false;
  bool upstream = false;
  bool json = false;  ///< as `PlanFormat::json`
};

struct ExplainOptions {
  LevelOptions levels;
  std::vector<std::string> arguments;  ///< an id, and optionally a matrix file
  std::string channel;
};

struct VersionOptions {
  std::string matrix;
  std::string channel;
  std::string label;
  std::string match = "v*";
  std::string bump = "minor";
  bool json = false;
  bool explain = false;
};

/// Where results of finished steps are kept for other runs and machines.
struct StoreOptions {
  std::vector<std::string> places = {};  ///< in order; none: those of PINWHEEL_STORE
  std::string domain = {};               ///< empty: PINWHEEL_STORE_DOMAIN, else by the event
};

/// Options of a run, shared by `build`, `test` and `release`.
/// The bounds of transfers to an index; empty: the default.
struct TransferOptions {
  std::string min_speed;      ///< "1 KB", a second
  std::string transfer_time;  ///< "15 min"
};

struct RunOptions {
  SelectionOptions selection;
  LevelOptions levels;
  StoreOptions store = {};
  std::string plan_file;
  int jobs = 0;  ///< 0: the machine's cores
  std::string memory;
  bool keep_going = false;
  bool dry_run = false;
  bool refresh = false;
  bool no_lock = false;
  std::vector<std::string> steps;  ///< ids; empty: all of the selection
  bool reuse_only = false;
  bool gate = false;
  std::vector<std::string> targets;
  std::vector<std::string> accept;
  std::string token_file;
  bool insecure = false;
  TransferOptions transfer;
  bool json = false;
};

struct PublishOptions {
  std::string target;
  std::string repository_url;
  std::string check_url;
  std::vector<std::string> files;
  std::string token_file;
  std::string trusted_publishing = "auto";
  bool no_auth = false;
  bool insecure = false;
  bool no_confirm = false;
  TransferOptions transfer;
  std::string size_limit;
  std::vector<std::string> ignore;
  bool dry_run = false;
  bool json = false;
};

struct InitOptions {
  std::string directory = ".";
  std::string from;  ///< "NAME==VERSION" of an sdist on the index, instead of a directory
  std::string out;   ///< empty: matrix/NAME.yaml below the directory; "-": stdout
  std::vector<std::string> pythons;   ///< "3.12"; empty: those that the project names
  std::vector<std::string> computes;  ///< "cuda/13.0"; empty: what the project names, or cpu
  std::vector<std::string> torches;   ///< "2.13"; empty: the newest that fit
  bool prove = false;
  bool json = false;
};

/// Where `ci` finds the matrix and the workflows.
struct CiPlace {
  std::string matrix;
  std::string out;                ///< empty: .github/workflows of the checkout
  std::vector<std::string> sets;  ///< empty: all that the matrix gives
};

struct CiGenerateOptions {
  CiPlace place;
  bool json = false;
};

struct CiCheckOptions {
  CiPlace place;
  std::string updates;
};

struct CiExplainOptions {
  std::vector<std::string> arguments;  ///< a job or a step, and optionally a matrix file
  std::string channel;
  bool json = false;
};

enum class EnvVerb { list, remove, gc };
struct EnvOptions {
  EnvVerb verb = EnvVerb::list;
  std::vector<std::string> ids;
  std::string against;
  std::string older = "30d";  ///< of `gc`: what nothing used for that long goes
  bool dry_run = false;       ///< of `gc`
  bool all = false;
  bool json = false;
};

struct EnvLockOptions {
  SelectionOptions selection;
  LevelOptions levels;
  bool check = false;
  bool refresh = false;
  std::vector<std::string> upgraded = {};  ///< names of packages, or requirements
  bool json = false;
};

struct EnvShellOptions {
  LevelOptions levels;
  std::vector<std::string> arguments;  ///< an id, and optionally a matrix file
  std::vector<std::string> command;    ///< the arguments after `--`; empty: a shell
  bool test = false;
  bool no_lock = false;
};

struct EnvExportOptions {
  LevelOptions levels;
  std::vector<std::string> arguments;  ///< an id, and optionally a matrix file
  std::string out;
  bool no_lock = false;
};

struct ReproduceOptions {
  LevelOptions levels;
  StoreOptions store = {};
  std::vector<std::string> arguments;  ///< an id or a report, and optionally a matrix file
  bool shell = false;
  bool here = false;
};

struct InspectOptions {
  std::vector<std::string> files;
  bool json = false;
  bool check = false;
  bool rules = false;
  bool strict = false;
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  std::string arch_list;
  std::string size_limit;
  std::string budget;
  std::string torch;
  std::string matrix;
  std::string variant;
};

enum class TorchExportsVerb { list, add, update, verify };
struct TorchExportsOptions {
  TorchExportsVerb verb = TorchExportsVerb::list;
  std::vector<std::string> sources;  ///< wheels, directories, tables
  std::string index;
  std::string torch;  ///< a version on the index
  std::string arch;
  std::vector<std::string> pythons;
  std::string table;  ///< empty: the shipped table and the user's
  bool json = false;
};

/// `store`.
enum class StoreVerb { stat, gc, verify, why, export_results, import_results };
struct StoreCommandOptions {
  StoreVerb verb = StoreVerb::stat;
  std::string place = "local";         ///< `local` or `dir:PATH`
  std::string directory;               ///< of `export` and `import`
  std::string plan_file;               ///< of `export` and `why`
  std::string domain;                  ///< as in `StoreOptions`
  std::vector<std::string> arguments;  ///< of `why`: a step, and optionally a matrix file
  std::string channel;                 ///< of `why`
  LevelOptions levels = {};            ///< of `why`
  int releases = 3;                    ///< whose results `gc` keeps
  std::string size = "20 GB";
  std::string grace = "1d";
  bool dry_run = false;
  bool json = false;
};

struct CompatOptions {
  std::string wheel;
  std::string require;
  std::vector<std::string> torch;
  std::vector<std::string> with;
  std::vector<std::string> installed;
  std::vector<std::string> external;
  bool run = false;
  std::string smoke;
  std::string timeout = "10 min";
  bool json = false;
};

struct FinishOptions {
  std::vector<std::string> files;
  std::string distribution;
  std::string wheel_version;
  std::string record;
  std::string requirement;
  std::vector<std::string> external;
  int64_t epoch = 315532800;  ///< 1980-01-01, the earliest time of zip members
};

struct RepairOptions {
  std::vector<std::string> wheels;
  std::string platform;
  std::vector<std::string> exclude;
  std::string out;
  bool dry_run = false;
  bool json = false;
  int64_t epoch = 315532800;  ///< as in `FinishOptions`
};

struct LogsOptions {
  std::string id;
  int attempt = 0;
  bool follow = false;
};

struct DoctorOptions {
  std::string matrix;  ///< whose Pythons are looked for; empty: none
  bool json = false;
};

struct DocsOptions {
  std::string subject;  ///< a key, a page or a section; empty: the index
};

/// `complete`, which the completion scripts call.
struct CompleteOptions {
  std::string line;  ///< up to the cursor
};

struct CompletionOptions {
  std::string shell;
};

struct SchemaOptions {};

}  // namespace pinwheel::cli
