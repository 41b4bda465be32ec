#pragma once
#include "base/result.h"
#include "cli/options.h"
#include "cli/parser.h"
#include "cli/streams.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// Each command takes its options and the streams, and returns the exit code; main renders the
/// error.
Result<int> cmd_plan(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const PlanCommand& options, Streams& streams);

Result<int> cmd_explain(const prepare::Host& host, const prepare::GlobalOptions& global,
                        const ExplainOptions& options, Streams& streams);

Result<int> cmd_build(const prepare::Host& host, const prepare::GlobalOptions& global,
                      const BuildCommand& options, Streams& streams);

Result<int> cmd_test(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const TestCommand& options, Streams& streams);

Result<int> cmd_release(const prepare::Host& host, const prepare::GlobalOptions& global,
                        const ReleaseCommand& options, Streams& streams);

Result<int> cmd_status(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const StatusCommand& options, Streams& streams);

Result<int> cmd_version(const prepare::Host& host, const prepare::GlobalOptions& global,
                        const VersionOptions& options, Streams& streams);

Result<int> cmd_init(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const InitOptions& options, Streams& streams);

Result<int> cmd_publish(const prepare::Host& host, const prepare::GlobalOptions& global,
                        const PublishOptions& options, Streams& streams);

Result<int> cmd_index_check(const prepare::Host& host, const prepare::GlobalOptions& global,
                            const IndexCheckOptions& options, Streams& streams);

Result<int> cmd_index_yank(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const IndexYankOptions& options, Streams& streams);

Result<int> cmd_index_prune(const prepare::Host& host, const prepare::GlobalOptions& global,
                            const IndexPruneOptions& options, Streams& streams);

Result<int> cmd_env(const prepare::Host& host, const prepare::GlobalOptions& global,
                    const EnvOptions& options, Streams& streams);

Result<int> cmd_env_lock(const prepare::Host& host, const prepare::GlobalOptions& global,
                         const EnvLockOptions& options, Streams& streams);

Result<int> cmd_env_shell(const prepare::Host& host, const prepare::GlobalOptions& global,
                          const EnvShellOptions& options, Streams& streams);

Result<int> cmd_env_export(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const EnvExportOptions& options, Streams& streams);

Result<int> cmd_ci_generate(const prepare::Host& host, const prepare::GlobalOptions& global,
                            const CiGenerateOptions& options, Streams& streams);

Result<int> cmd_ci_check(const prepare::Host& host, const prepare::GlobalOptions& global,
                         const CiCheckOptions& options, Streams& streams);

Result<int> cmd_ci_explain(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const CiExplainOptions& options, Streams& streams);

Result<int> cmd_inspect(const prepare::Host& host, const prepare::GlobalOptions& global,
                        const InspectOptions& options, Streams& streams);

Result<int> cmd_store(const prepare::Host& host, const prepare::GlobalOptions& global,
                      const StoreCommandOptions& options, Streams& streams);

Result<int> cmd_store_export(const prepare::Host& host, const prepare::GlobalOptions& global,
                             const StoreCommandOptions& options, Streams& streams);

Result<int> cmd_store_why(const prepare::Host& host, const prepare::GlobalOptions& global,
                          const StoreCommandOptions& options, Streams& streams);

Result<int> cmd_torch_exports(const prepare::Host& host, const prepare::GlobalOptions& global,
                              const TorchExportsOptions& options, Streams& streams);

Result<int> cmd_compat(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const CompatOptions& options, Streams& streams);

Result<int> cmd_finish(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const FinishOptions& options, Streams& streams);

Result<int> cmd_repair(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const RepairOptions& options, Streams& streams);

Result<int> cmd_reproduce(const prepare::Host& host, const prepare::GlobalOptions& global,
                          const ReproduceOptions& options, Streams& streams);

Result<int> cmd_logs(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const LogsOptions& options, Streams& streams);

Result<int> cmd_report(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const ReportOptions& options, Streams& streams);

Result<int> cmd_doctor(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const DoctorOptions& options, Streams& streams);

Result<int> cmd_schema(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const SchemaOptions& options, Streams& streams);

Result<int> cmd_docs(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const DocsOptions& options, Streams& streams);

Result<int> cmd_complete(const prepare::Host& host, const prepare::GlobalOptions& global,
                         const CompleteOptions& options, Streams& streams);

Result<int> cmd_completion(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const CompletionOptions& options, Streams& streams);

}  // namespace pinwheel::cli
