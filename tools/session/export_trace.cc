#include "session/export_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "base/encoded_pairs.h"
#include "base/json.h"
#include "base/mask.h"
#include "base/retries.h"
#include "base/text.h"
#include "base/url.h"
#include "host/machine/machine_name.h"
#include "host/net/http.h"
#include "host/system/signals.h"
#include "plan/provenance.h"
#include "plan/trace_context.h"
#include "prepare/http_options.h"
#include "publish/reply.h"
#include "wheel/deflate.h"

namespace pinwheel::session {
namespace {

using std::chrono::milliseconds;
using TraceReply = tl::expected<ports::HttpResponse, ports::HttpFailure>;

/// After an interruption, people wait for the end.
constexpr milliseconds kAfterStop = std::chrono::seconds(2);
constexpr int kMostSends = 5;
constexpr milliseconds kFirstWait = std::chrono::milliseconds(500);
constexpr milliseconds kLongestWait = std::chrono::seconds(5);
constexpr ByteLimit kTraceReply = limits::kUploadReply;

constexpr const char* kExportHint =
    "the run itself is not affected; look at `OTEL_EXPORTER_OTLP_ENDPOINT` and the collector, or "
    "set `OTEL_SDK_DISABLED=true`";

/// The value of a variable of a CI service. In a child pipeline of GitLab that `ci generate` wrote,
/// the pipeline is its parent, to which all jobs of the run belong.
std::string ci_value(const std::map<std::string, std::string>& variables, const char* name) {
  const std::string parent = value_at(variables, "PARENT_PIPELINE_ID");
  const bool in_child = !parent.empty() && std::string_view(name) == "CI_PIPELINE_ID" &&
                        value_at(variables, "CI_PIPELINE_SOURCE") == "parent_pipeline";
  return in_child ? parent : value_at(variables, name);
}

/// What all jobs of a CI run have in common, and another attempt of the run has not; empty outside
/// CI.
std::vector<std::string> ci_run(const std::map<std::string, std::string>& variables) {
  const std::vector<std::vector<const char*>> services = {
      {"GITHUB_RUN_ID", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ATTEMPT"},
      {"CI_PIPELINE_ID", "CI_SERVER_URL", "CI_PROJECT_PATH"},
      {"BUILDKITE_BUILD_ID"},
      {"CIRCLE_WORKFLOW_ID"}};
  for (const std::vector<const char*>& service : services) {
    if (value_at(variables, service.front()).empty()) continue;
    std::vector<std::string> values;
    values.reserve(service.size());
    for (const char* const name : service) values.push_back(ci_value(variables, name));
    return values;
  }
  return {};
}

/// The trace of the run: the caller's, else one that follows from what jobs have in common.
void choose_trace(const RunIdentity& identity, const std::map<std::string, std::string>& variables,
                  report::ExportedRun& run, Console& console) {
  const std::string given = value_at(variables, plan::kTraceParent);
  if (!given.empty()) {
    if (auto context = plan::parse_traceparent(trim(given))) {
      run.context = *std::move(context);
      run.context.state = plan::parse_tracestate(value_at(variables, plan::kTraceState));
      return;
    }
    console.warn(Error{ErrorKind::config, fmt::format("{} is malformed, so a new trace begins: {}",
                                                      quoted(plan::kTraceParent), quoted(given))}
                     .with_hint("it is `00-`, 32 hex digits, `-`, 16 hex digits, `-01`"));
  }
  std::vector<std::string> seed = ci_run(variables);
  if (!identity.plan.empty()) seed.push_back(identity.plan);
  if (seed.empty()) seed = {run.worker, run.name};
  run.context.trace_id = plan::trace_id_of(seed);
}

std::map<std::string, std::string> run_attributes(const RunIdentity& identity,
                                                  const prepare::Host& host) {
  const plan::BuilderJob job = plan::builder_job(host.variables, prepare::kPinwheelVersion);
  std::map<std::string, std::string> attributes = {
      {"cicd.pipeline.run.url.full", job.run},
      {"vcs.repository.url.full", job.repository},
      {"pinwheel.arguments", join(mask_arguments(split(identity.arguments, ' ')), " ")},
      {"pinwheel.plan", identity.plan}};
  const std::vector<std::string> ci = ci_run(host.variables);
  if (!ci.empty()) attributes["cicd.pipeline.run.id"] = ci.front();
  if (identity.release) {
    attributes["vcs.ref.head.revision"] = identity.release->commit;
    attributes["pinwheel.package"] = identity.release->package;
  }
  return attributes;
}

std::map<std::string, std::string> resource_of(const OtelSettings& settings,
                                               const std::string& worker) {
  std::map<std::string, std::string> resource = settings.resource;
  resource.emplace("service.name", "pinwheel");
  resource.emplace("service.version", prepare::kPinwheelVersion);
  resource.emplace("host.name", worker);
  const std::string machine = host::machine_name();
  resource.emplace("host.arch", machine == "x86_64"    ? "amd64"
                                : machine == "aarch64" ? "arm64"
                                                       : machine);
  return resource;
}

bool may_send_again(const TraceReply& reply) {
  if (!reply) return reply.error().error.kind == ErrorKind::transient;
  // https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
  return reply->status == 429 || reply->status == 502 || reply->status == 503 ||
         reply->status == 504;
}

bool is_accepted(int status) {
  return status >= 200 && status < 300;
}

/// Sends requests until one fails.
class TraceSender {
 public:
  TraceSender(const prepare::Host& host, const OtelSettings& settings, milliseconds timeout,
              const host::Workplace& workplace, std::stop_token stop, Console& console)
      : settings_(settings),
        clock_(host.clock),
        deadline_(host.clock.steady() + timeout),
        hidden_(workplace.hidden ? *workplace.hidden : HiddenText()),
        console_(console) {
    for (const auto& [name, value] : settings.headers) {
      if (is_secret_header(name, value.reveal())) hidden_.add(value, name);
    }
    host::HttpOptions options = host::last_options(prepare::http_options(host.variables));
    if (!settings.certificate.empty()) options.ca_bundle = host.at(settings.certificate);
    http_ = host.http(options, workplace.log, std::move(stop));
  }

  bool send(const std::string& document) {
    const TraceReply reply = with_retries(
        kMostSends, [&] { return http_->send(request_of(document)); }, may_send_again,
        [&](int count, const TraceReply& last) { return wait_again(count, last); });
    if (!reply) return warn(reply.error().error.message);
    if (is_accepted(reply->status)) return report_partial(*reply);
    const std::string message = publish::server_message(*reply, hidden_);
    return warn(fmt::format("HTTP {}{}", reply->status,
                            message.empty() ? "" : fmt::format(" ({})", message)));
  }

 private:
  milliseconds left() const {
    return std::chrono::duration_cast<milliseconds>(deadline_ - clock_.steady());
  }

  ports::HttpRequest request_of(const std::string& document) const {
    ports::HttpRequest request;
    request.method = "POST";
    request.url = settings_.url;
    request.headers = {{"Content-Type", "application/json"}};
    for (const auto& [name, value] : settings_.headers) {
      request.headers.emplace_back(name, value.reveal());
    }
    request.body = hidden_.mask(document);
    if (settings_.compression == Compression::gzip) {
      request.body = wheel::gzip(request.body);
      request.headers.emplace_back("Content-Encoding", "gzip");
    }
    request.patience = std::max(left(), milliseconds(1));
    request.connect_timeout = std::min(request.connect_timeout, *request.patience);
    request.body_limit = kTraceReply;
    request.long_body = ports::LongBody::ends;
    return request;
  }

  /// Waits as long as the collector asks for, unless that is past the deadline.
  bool wait_again(int count, const TraceReply& last) {
    milliseconds delay = backoff(count, kFirstWait, kLongestWait, 0);
    if (last) delay = std::max(delay, publish::retry_after(*last).value_or(delay));
    if (delay >= left()) return false;
    http_->wait(delay);
    return true;
  }

  bool warn(const std::string& reason) {
    const Error warning =
        Error{ErrorKind::transient, fmt::format("the trace was not exported to {}: {}",
                                                quoted_url(settings_.url), reason)}
            .with_hint(kExportHint);
    console_.warn(hidden_.mask(warning));
    return false;
  }

  /// `partialSuccess`, whose number is a text in JSON.
  bool report_partial(const ports::HttpResponse& reply) {
    const nlohmann::json json = read_json(reply.body);
    if (!json.is_object()) return true;
    const nlohmann::json partial = json.value("partialSuccess", nlohmann::json());
    if (!partial.is_object()) return true;
    const nlohmann::json rejected = partial.value("rejectedSpans", nlohmann::json());
    const nlohmann::json message = partial.value("errorMessage", nlohmann::json());
    std::string count = rejected.is_string() ? rejected.get<std::string>() : "";
    if (rejected.is_number_integer()) count = std::to_string(rejected.get<int64_t>());
    if (count == "0") count.clear();
    const std::string text =
        message.is_string() ? publish::short_line(message.get<std::string>(), hidden_) : "";
    if (count.empty() && text.empty()) return true;
    console_.warn(hidden_.mask(
        Error{ErrorKind::transient,
              fmt::format("{} {}{}", quoted_url(settings_.url),
                          count.empty() ? "answered with a warning"
                                        : fmt::format("rejected spans of the trace ({})",
                                                      publish::short_line(count, hidden_)),
                          text.empty() ? "" : ": " + text)}
            .with_hint("the run itself is not affected; look at the limits of the collector")));
    return true;
  }

  const OtelSettings& settings_;
  const ports::Clock& clock_;
  const std::chrono::steady_clock::time_point deadline_;
  HiddenText hidden_;
  Console& console_;
  std::shared_ptr<ports::Http> http_;
};

/// Headers are credentials: they are sent in the clear only to this machine, or if the user allows
/// it.
bool may_send_headers(const OtelSettings& settings, const host::Workplace& workplace) {
  const std::optional<UrlParts> parts = split_url(settings.url);
  return settings.headers.empty() || workplace.plain_http == PlainHttp::allowed || !parts ||
         parts->scheme == "https" || is_loopback(parts->host);
}

}  // namespace

std::optional<TraceExport> plan_export(const prepare::Host& host, const RunIdentity& identity,
                                       Console& console) {
  OtelSettings settings = otel_settings(host.variables);
  for (const Error& warning : settings.warnings) console.warn(warning);
  if (settings.url.empty()) return std::nullopt;
  for (const auto& [name, value] : settings.headers) {
    if (is_secret_header(name, value.reveal())) console.hide(value);
  }
  if (!may_send_headers(settings, identity.workplace)) {
    console.warn(Error{ErrorKind::config,
                       fmt::format("the trace is not exported: {} would receive the headers "
                                   "without encryption",
                                   quoted_url(settings.url))}
                     .with_hint("use an https:// URL, or pass `--insecure`"));
    return std::nullopt;
  }
  report::ExportedRun run;
  run.worker = host::worker_name(host.variables);
  // Containers with the same name of their machine may start in the same second, as the same
  // process.
  std::random_device random;
  run.name = fmt::format("{} {} {:08x}{:08x}", identity.workplace.logs.filename().string(),
                         run.worker, random(), random());
  const std::vector<std::string> words = split(identity.arguments, ' ');
  run.pipeline = "pinwheel " + words.front();
  run.resource = resource_of(settings, run.worker);
  run.attributes = run_attributes(identity, host);
  run.span.start = std::chrono::floor<milliseconds>(host.clock.now());
  choose_trace(identity, host.variables, run, console);
  return TraceExport{std::move(settings), std::move(run)};
}

void trace_steps(const TraceExport& planned, run::ExecuteOptions& options) {
  const plan::TraceContext& context = planned.run.context;
  const std::string& run = planned.run.name;
  options.passed_trace = [context, run](const std::string& step, int attempt) {
    return plan::PassedTrace{
        plan::traceparent(context, plan::span_of_attempt(context, run, step, attempt)),
        context.state};
  };
  if (context.sampling == plan::Sampling::dropped) return;
  options.span = [context, run](const std::string& step) {
    return plan::traceparent(context, plan::span_of_step(context, run, step));
  };
}

void export_trace(const prepare::Host& host, TraceExport planned, const plan::Report& report,
                  const host::Workplace& workplace, Console& console) {
  if (planned.run.context.sampling == plan::Sampling::dropped) return;
  planned.run.span.completed = std::chrono::floor<milliseconds>(host.clock.now());
  milliseconds timeout = planned.settings.timeout;
  if (report.signal != 0) timeout = std::min(timeout, kAfterStop);
  // A signal ends the export, not the run, which has its result.
  const host::StopOnSignal stop;
  TraceSender sender(host, planned.settings, timeout, workplace, stop.token(), console);
  for (const std::string& document : report::otlp_requests(planned.run, report, kMostOfTrace)) {
    if (!sender.send(document)) return;
  }
}

}  // namespace pinwheel::session
