#pragma once
#include "base/result.h"
#include "cli/options.h"
#include "cli/parser.h"
#include "cli/streams.h"

namespace pinwheel::cli {

/// Each command takes its options and the streams, and returns the exit code; main renders the
/// error.
Result<int> cmd_plan(const GlobalOptions& global, const PlanCommand& options, Streams& streams);
Result<int> cmd_explain(const GlobalOptions& global, const ExplainOptions& options,
                        Streams& streams);
Result<int> cmd_build(const GlobalOptions& global, const BuildCommand& options, Streams& streams);
Result<int> cmd_test(const GlobalOptions& global, const TestCommand& options, Streams& streams);
Result<int> cmd_release(const GlobalOptions& global, const ReleaseCommand& options,
                        Streams& streams);
Result<int> cmd_version(const GlobalOptions& global, const VersionOptions& options,
                        Streams& streams);
Result<int> cmd_init(const GlobalOptions& global, const InitOptions& options, Streams& streams);
Result<int> cmd_publish(const GlobalOptions& global, const PublishOptions& options,
                        Streams& streams);
Result<int> cmd_env(const GlobalOptions& global, const EnvOptions& options, Streams& streams);
Result<int> cmd_env_lock(const GlobalOptions& global, const EnvLockOptions& options,
                         Streams& streams);
Result<int> cmd_env_shell(const GlobalOptions& global, const EnvShellOptions& options,
                          Streams& streams);
Result<int> cmd_env_export(const GlobalOptions& global, const EnvExportOptions& options,
                           Streams& streams);
Result<int> cmd_ci_generate(const GlobalOptions& global, const CiGenerateOptions& options,
                            Streams& streams);
Result<int> cmd_ci_check(const GlobalOptions& global, const CiCheckOptions& options,
                         Streams& streams);
Result<int> cmd_ci_explain(const GlobalOptions& global, const CiExplainOptions& options,
                           Streams& streams);
Result<int> cmd_inspect(const GlobalOptions& global, const InspectOptions& options,
                        Streams& streams);
Result<int> cmd_store(const GlobalOptions& global, const StoreCommandOptions& options,
                      Streams& streams);
Result<int> cmd_store_export(const GlobalOptions& global, const StoreCommandOptions& options,
                             Streams& streams);
Result<int> cmd_store_why(const GlobalOptions& global, const StoreCommandOptions& options,
                          Streams& streams);
Result<int> cmd_torch_exports(const GlobalOptions& global, const TorchExportsOptions& options,
                              Streams& streams);
Result<int> cmd_compat(const GlobalOptions& global, const CompatOptions& options, Streams& streams);
Result<int> cmd_finish(const GlobalOptions& global, const FinishOptions& options, Streams& streams);
Result<int> cmd_repair(const GlobalOptions& global, const RepairOptions& options, Streams& streams);
Result<int> cmd_reproduce(const GlobalOptions& global, const ReproduceOptions& options,
                          Streams& streams);
Result<int> cmd_logs(const GlobalOptions& global, const LogsOptions& options, Streams& streams);
Result<int> cmd_doctor(const GlobalOptions& global, const DoctorOptions& options, Streams& streams);
Result<int> cmd_schema(const GlobalOptions& global, const SchemaOptions& options, Streams& streams);
Result<int> cmd_docs(const GlobalOptions& global, const DocsOptions& options, Streams& streams);
Result<int> cmd_complete(const GlobalOptions& global, const CompleteOptions& options,
                         Streams& streams);
Result<int> cmd_completion(const GlobalOptions& global, const CompletionOptions& options,
                           Streams& streams);

}  // namespace pinwheel::cli
