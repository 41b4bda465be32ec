#include "cli/inspect_options.h"

#include <CLI/CLI.hpp>

namespace pinwheel::cli {
namespace {

void add_release_index(CLI::App& app, std::string& index) {
  app.add_option("--index", index,
                 "the index of `NAME==VERSION`: `pypi`, or the URL of a simple index (default: "
                 "pip's)")
      ->type_name("URL");
}

void add_attestation(CLI::App& app, InspectOptions& options) {
  CLI::Option* const attestation =
      app.add_option("--attestation", options.attestation,
                     "verify this attestation, Sigstore bundle, or provenance of a wheel or an "
                     "sdist, offline once its tools are installed; exit 5 if it is not valid")
          ->type_name("FILE");
  CLI::Option* const repository =
      app.add_option("--repository", options.repository,
                     "with `--attestation`, the repository whose job must have signed it, "
                     "`OWNER/NAME` on GitHub or a URL")
          ->type_name("REPOSITORY")
          ->needs(attestation);
  app.add_option(
         "--workflow", options.workflow,
         "with `--repository`, the workflow on GitHub that must have signed it, `release.yml`")
      ->type_name("NAME")
      ->needs(repository);
  app.add_option("--sigstore", options.sigstore,
                 "with `--attestation`, the client trust configuration of your own Sigstore "
                 "(default: the public instance)")
      ->type_name("FILE")
      ->needs(attestation);
}

}  // namespace

void add_inspect(CLI::App& program, InspectOptions& options) {
  CLI::App& app = *program.add_subcommand(
      "inspect",
      "show the contents and requirements of wheels; `--check` applies the same checks as `build`");
  app.add_option(
         "files", options.files,
         "wheels, shared libraries, objects, directories, `https://...whl`, `NAME==VERSION` on an "
         "index; two wheels are compared")
      ->type_name("FILE");
  add_release_index(app, options.index);
  app.add_flag("--whole", options.whole,
               "download a wheel on a server completely, and verify the hashes of all its files; "
               "without it, only the files that the report depends on are read");
  app.add_flag("--check", options.check,
               "exit 5 if a rule with severity error is violated; implies `--whole`");
  app.add_flag("--strict", options.strict, "with `--check`, fail on warnings too");
  app.add_flag("--rules", options.rules, "list the rules");
  app.add_flag("--all", options.all,
               "list each finding, and the device code of each file, instead of one line for those "
               "that are the same in several files");
  app.add_flag(
      "--kernels", options.kernels,
      "list the CUDA kernels with the registers, stack and memory that each needs, and the "
      "schemas of operators; compare those of two wheels");
  app.add_option("--select", options.select, "check only this rule; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--ignore", options.ignore, "skip this rule")->allow_extra_args(false);
  app.add_option("--arch-list", options.arch_list,
                 "the architectures that device code must have, `8.0;9.0a;12.0+PTX`");
  app.add_option("--size-limit", options.size_limit, "largest file allowed, `100 MB`");
  app.add_option("--budget", options.budget,
                 "suggest parts to remove so that the wheel stays below this size, `100 MB`");
  app.add_option("--torch", options.torch,
                 "check the symbols against every known build of torch in this range, "
                 "`torch>=2.13,<2.14` (rule `undefined-symbols`)")
      ->type_name("RANGE");
  CLI::Option* const matrix =
      app.add_option("--matrix", options.matrix,
                     "apply the requirements of this matrix: checks, arch list, size, torch")
          ->type_name("MATRIX.yaml");
  app.add_option("--variant", options.variant,
                 "with `--matrix`, the variant or build of the wheel (default: from the wheel's "
                 "own record)")
      ->type_name("ID")
      ->needs(matrix);
  add_attestation(app, options);
  app.add_option("--html", options.html,
                 "write one page there that needs no network: sizes, device code, findings")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "as JSON");
}

void add_repair(CLI::App& program, RepairOptions& options) {
  CLI::App& app = *program.add_subcommand(
      "repair", "bundle the system libraries that a wheel needs, like auditwheel repair");
  app.add_option("wheels", options.wheels, "the wheels")->type_name("WHEEL")->required();
  app.add_option("--plat", options.platform,
                 "the platform it must run on, `manylinux_2_28`, `musllinux_1_2` (default: the "
                 "oldest possible)")
      ->type_name("TAG");
  app.add_option("--exclude", options.exclude,
                 "a library that others provide, `libfoo.so.*`; may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--out", options.out, "the directory of the new wheel (default: --output-dir)")
      ->type_name("DIR");
  app.add_option("--epoch", options.epoch, "the timestamp of every member, in seconds since 1970")
      ->envname("SOURCE_DATE_EPOCH");
  app.add_flag("--dry-run", options.dry_run, "show the changes, and write nothing");
  app.add_flag("--json", options.json, "as JSON");
}

void add_compat(CLI::App& program, CompatOptions& options) {
  CLI::App& app = *program.add_subcommand(
      "compat", "show where a wheel loads: torch, Python, distributions, drivers");
  app.add_option("wheel", options.wheel,
                 "a wheel, as a path, `https://...whl`, or `NAME==VERSION` on an index")
      ->type_name("WHEEL")
      ->required();
  add_release_index(app, options.index);
  app.add_option("--require", options.require,
                 "exit 5 if a known build in this range does not load, `torch>=2.10`")
      ->type_name("RANGE");
  app.add_option("--torch", options.torch, "only these releases or builds, `2.13`, `2.13.0+cpu`")
      ->type_name("VERSION")
      ->allow_extra_args(false);
  app.add_flag(
      "--all", options.all,
      "a line for each build of torch, instead of one for neighbors with the same verdict");
  app.add_option("--with", options.with, "another wheel to install as well")
      ->type_name("WHEEL")
      ->allow_extra_args(false);
  app.add_option("--installed", options.installed,
                 "the torch in this site-packages directory or of this Python, as one more build")
      ->type_name("PLACE")
      ->allow_extra_args(false);
  app.add_option("--external", options.external,
                 "a library that something else provides, `libavcodec.so.*`")
      ->type_name("SONAME")
      ->allow_extra_args(false);
  app.add_flag(
      "--run", options.run,
      "install it with real torch releases and load it: those of `--torch` and `--installed`, else "
      "the newest with which it loads according to its symbols; exit 5 if a requested one fails");
  app.add_option("--smoke", options.smoke, "with `--run`, a shell command that must succeed")
      ->type_name("COMMAND");
  app.add_option("--timeout", options.timeout,
                 "with `--run`, the time limit of each process that tries the wheel")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--html", options.html, "write one page there that needs no network")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "as JSON");
}

namespace {

void add_table(CLI::App& app, TorchExportsOptions& options) {
  app.add_option("--table", options.table, "this file instead of the shipped table and yours")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "as JSON");
}

void add_index(CLI::App& app, TorchExportsOptions& options) {
  app.add_option("--index", options.index, "`pypi`, or the URL of a simple index (default: pip's)")
      ->type_name("URL");
  app.add_option("--arch", options.arch, "`x86_64` or `aarch64` (default: both)");
}

void add_sources(CLI::App& app, TorchExportsOptions& options) {
  app.add_option("sources", options.sources,
                 "torch wheels, directories with an installed torch, tables")
      ->type_name("FILE|DIR");
  add_index(app, options);
  app.add_option("--torch", options.torch, "a version on the index, `2.13.0`")
      ->type_name("VERSION");
  app.add_option("--python", options.pythons,
                 "the interpreter of an installed torch; with `--torch`, versions of Python, "
                 "`3.11` (default: all)")
      ->type_name("PATH|VERSION");
  add_table(app, options);
}

}  // namespace

void add_torch_exports(CLI::App& app, TorchExportsOptions& options) {
  CLI::App& tables = *app.add_subcommand(
      "torch-exports",
      "manage the table of the symbols that each torch release exports, which `compat` reads");
  tables.require_subcommand(1);
  CLI::App& list = *tables.add_subcommand("list", "the builds in the table");
  add_table(list, options);
  CLI::App& add = *tables.add_subcommand(
      "add", "read a build into your table; only small parts of a remote wheel are downloaded");
  add_sources(add, options);
  CLI::App& update = *tables.add_subcommand(
      "update", "add the releases on the index that are missing from the table");
  add_index(update, options);
  add_table(update, options);
  CLI::App& verify = *tables.add_subcommand(
      "verify", "read a build again and compare; exit 5 if it differs from the table");
  add_sources(verify, options);
}

TorchExportsVerb chosen_verb(const CLI::App& torch_exports) {
  if (torch_exports.got_subcommand("add")) return TorchExportsVerb::add;
  if (torch_exports.got_subcommand("update")) return TorchExportsVerb::update;
  if (torch_exports.got_subcommand("verify")) return TorchExportsVerb::verify;
  return TorchExportsVerb::list;
}

void add_init(CLI::App& program, InitOptions& options) {
  CLI::App& app = *program.add_subcommand(
      "init",
      "write a matrix file for a project that has none; runs no project code without --prove");
  app.add_option("directory", options.directory, "the project's directory (default: this one)")
      ->type_name("[DIR]");
  app.add_option("--from", options.from, "an sdist on the index instead of a directory")
      ->type_name("NAME==VERSION");
  app.add_option("--out", options.out,
                 "the file to write, `-` for stdout (default: matrix/NAME.yaml below DIR)")
      ->type_name("FILE");
  app.add_option("--python", options.pythons, "the Pythons to build for, instead of the project's")
      ->type_name("X.Y")
      ->delimiter(',');
  app.add_option("--compute", options.computes,
                 "the computes to build for, instead of the CPU or the project's")
      ->type_name("cpu|cuda/X.Y|rocm/X.Y|xpu")
      ->delimiter(',');
  app.add_option("--torch", options.torches,
                 "the releases of torch to build for, instead of the newest")
      ->type_name("X.Y")
      ->delimiter(',');
  app.add_flag(
      "--prove", options.prove,
      "build a wheel for the first available Python, and write the widest `abi` that it supports");
  app.add_flag("--json", options.json, "print the findings and decisions as JSON");
}

}  // namespace pinwheel::cli
