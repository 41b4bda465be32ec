#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prepare/options.h"

namespace pinwheel::cli {

/// Where an option takes an output file: stdout.
inline constexpr std::string_view kStdout = "-";

enum class PlanFormat { table, ids, json, github, support_table, dot, fingerprint };
enum class StageRows { device, build, test, install };

struct PlanCommand {
  prepare::SelectionOptions selection;
  prepare::LevelOptions levels;
  PlanFormat format = PlanFormat::table;
  StageRows stage = StageRows::test;
  int shards = 0;
  std::optional<int> slots = {};  ///< steps at a time, for the predicted duration
  std::string plan_file;
  std::string changed_since = {};         ///< only variants whose keys differ; empty: all
  prepare::StoreOptions store = {};       ///< with the results of `changed_since`
  std::optional<std::string> chunk = {};  ///< of the rows of a frozen plan: "2", or "2/4"
  std::string out;
  bool no_lock = false;
  bool upstream = false;
  bool json = false;  ///< as `PlanFormat::json`
};

struct ExplainOptions {
  prepare::LevelOptions levels;
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

struct PublishOptions {
  std::string target;
  std::string repository_url;
  std::string check_url;
  std::vector<std::string> files;  ///< with `from`: "PROJECT==VERSION"
  std::string from;                ///< the source of a promotion; empty: the files are here
  std::string record;              ///< of the release to promote
  prepare::StoreOptions store;
  std::string token_file;
  std::string trusted_publishing = "auto";
  std::string attestations = "auto";
  std::string sigstore;  ///< a client trust configuration; empty: the public instance
  bool no_auth = false;
  bool insecure = false;
  bool no_confirm = false;
  prepare::TransferOptions transfer;
  std::string size_limit;
  std::vector<std::string> ignore;
  bool dry_run = false;
  bool json = false;
};

struct InitOptions {
  std::string directory = ".";
  std::string from;  ///< "NAME==VERSION" of an sdist on the index, instead of a directory
  std::string out;   ///< empty: matrix/NAME.yaml below the directory; "-": stdout
  std::vector<std::string> pythons;   ///< "3.12"; empty: those of the project
  std::vector<std::string> computes;  ///< "cuda/13.0"; empty: those of the project, else cpu
  std::vector<std::string> torches;   ///< "2.13"; empty: the newest that fit
  bool prove = false;
  bool json = false;
};

/// The services whose files `ci generate` writes.
enum class CiService { github, gitlab, kubernetes };

/// The paths of the matrix and the workflows for `ci`.
struct CiPlace {
  std::string matrix;
  CiService service = CiService::github;
  std::string out;                ///< empty: the directory of the service in the checkout
  std::vector<std::string> sets;  ///< empty: all that the matrix defines
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
  std::string older = "30d";  ///< of `gc`: environments not used for that long are deleted
  bool dry_run = false;       ///< of `gc`
  bool all = false;
  bool json = false;
};

struct EnvLockOptions {
  prepare::SelectionOptions selection;
  prepare::LevelOptions levels;
  bool check = false;
  bool refresh = false;
  std::vector<std::string> upgraded = {};  ///< names of packages, or requirements
  bool json = false;
};

struct EnvShellOptions {
  prepare::LevelOptions levels;
  std::vector<std::string> arguments;  ///< an id, and optionally a matrix file
  std::vector<std::string> command;    ///< the arguments after `--`; empty: a shell
  bool test = false;
  bool no_lock = false;
};

struct EnvExportOptions {
  prepare::LevelOptions levels;
  std::vector<std::string> arguments;  ///< an id, and optionally a matrix file
  std::string out;
  bool no_lock = false;
};

struct ReproduceOptions {
  prepare::LevelOptions levels;
  prepare::StoreOptions store = {};
  std::vector<std::string> arguments;  ///< an id or a report, and optionally a matrix file
  bool shell = false;
  bool here = false;
};

struct InspectOptions {
  std::vector<std::string> files;
  std::string index;   ///< of `NAME==VERSION`; empty: pip's
  bool whole = false;  ///< download wheels on servers completely
  bool json = false;
  bool check = false;
  bool rules = false;
  bool strict = false;
  bool all = false;  ///< a line for each finding
  bool kernels = false;
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  std::string arch_list;
  std::string size_limit;
  std::string budget;
  std::string torch;
  std::string html;
  std::string matrix;
  std::string variant;
  std::string attestation;  ///< a file with the attestations of the one file
  std::string repository;   ///< of the expected signer
  std::string workflow;     ///< of the expected signer
  std::string sigstore;     ///< a client trust configuration; empty: the public instance
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

/// `index check`.
struct IndexCheckOptions {
  std::string index;                  ///< a directory, a URL or `pypi`; empty: none was given
  std::vector<std::string> projects;  ///< empty: those on the root page
  std::vector<std::string> labels;    ///< sub-indexes besides those that are found
  std::vector<std::string> machines;  ///< "cp311-manylinux_2_28_x86_64"
  std::string exclude_newer;          ///< a time, or an age such as "7d"
  std::vector<std::string> ignore;    ///< rules
  int connections = 8;
  bool no_hashes = false;
  bool refresh = false;
  bool strict = false;
  bool rules = false;
  bool json = false;
};

/// `index yank`.
struct IndexYankOptions {
  std::string index;    ///< a directory
  std::string version;  ///< PROJECT==VERSION
  std::string reason;
  bool undo = false;
  bool json = false;
};

/// `index prune`.
struct IndexPruneOptions {
  std::string index;     ///< a directory
  std::string project;   ///< empty: every project
  std::string keep;      ///< an age, "30d"; empty: no version stays for its age
  size_t keep_last = 0;  ///< 0: no version stays for being among the newest
  bool releases = false;
  std::vector<std::string> locks;
  bool execute = false;
  bool json = false;
};

/// The subcommands of `store`.
enum class StoreVerb { stat, gc, verify, why, export_results, import_results };
struct StoreCommandOptions {
  StoreVerb verb = StoreVerb::stat;
  std::string place = "local";         ///< `local` or `dir:PATH`
  std::string directory;               ///< of `export` and `import`
  std::string plan_file;               ///< of `export` and `why`
  std::string domain;                  ///< as in `StoreOptions`
  std::vector<std::string> arguments;  ///< of `why`: a step, and optionally a matrix file
  std::string channel;                 ///< of `why`
  prepare::LevelOptions levels = {};   ///< of `why`
  int releases = 3;  ///< the number of releases whose results `gc` does not delete
  std::string size = "20 GB";
  std::string grace = "1d";
  bool dry_run = false;
  bool json = false;
};

struct CompatOptions {
  std::string wheel;
  std::string index;  ///< of `NAME==VERSION`; empty: pip's
  std::string require;
  std::vector<std::string> torch;
  std::vector<std::string> with;
  std::vector<std::string> installed;
  std::vector<std::string> external;
  bool all = false;  ///< a line for each build
  bool run = false;
  std::string smoke;
  std::string timeout = "10 min";
  std::string html;
  bool json = false;
};

struct FinishOptions {
  std::vector<std::string> files;
  std::string distribution;
  std::string wheel_version;
  uint64_t build_number = 0;  ///< 0: unchanged
  std::string record;
  std::string requirement;
  std::vector<std::string> pins;
  std::vector<std::string> external;
  std::string variant;
  std::string variant_draft = "pep850";
  bool strip_local = false;
  bool json = false;
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

struct ReportOptions {
  std::vector<std::string> runs;  ///< names of runs, or files; empty: the last run
  bool all = false;
  std::string trace;
  std::string html;
  bool merge = false;       ///< two runs are jobs of one, instead of being compared
  bool partial = false;     ///< the second of two runs has only some of the steps
  std::string markdown;     ///< a file for the comparison
  std::string base_wheels;  ///< a directory with files of the first of two runs
  std::string wheels;       ///< the same for the second
  std::string base_name;    ///< what the first of two runs is called; empty: as it was named
  std::string comment;      ///< the name of a comment of the pull request; empty: none is written
  std::string history;      ///< a file with durations of earlier runs; empty: the journal's
  std::string update_history;  ///< the file to which the durations of the runs are added; or empty
  bool json = false;
};

struct DoctorOptions {
  std::string matrix;    ///< the matrix whose Pythons are looked for; empty: none
  std::string executor;  ///< "slurm": checks its cluster; empty or "local": this machine
  bool test_job = false;
  bool cache = false;   ///< checks compiler caches instead of the machine
  std::string program;  ///< the cache to check; empty: those of the matrix
  bool json = false;
};

struct DocsOptions {
  std::string subject;  ///< a key, a page or a section; empty: the index
};

/// The options of `complete`, which the completion scripts call.
struct CompleteOptions {
  std::string line;  ///< up to the cursor
};

struct CompletionOptions {
  std::string shell;
};

struct SchemaOptions {};

}  // namespace pinwheel::cli
