#include "host/log/spdlog_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cerrno>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"
#include "host/system/system_error.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

constexpr size_t kMostEarlier = 4096;
constexpr const char* kPlainPattern = "%Y-%m-%dT%H:%M:%S.%eZ %-5l %v";
constexpr const char* kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

spdlog::level::level_enum level_of(ports::LogLevel level) {
  return level == ports::LogLevel::info ? spdlog::level::info : spdlog::level::debug;
}

struct PlainValue {
  std::string operator()(const std::string& text) const { return shell_quote(text); }
  std::string operator()(int64_t number) const { return std::to_string(number); }
  std::string operator()(const std::vector<std::string>& list) const {
    return "(" + shell_join(list) + ")";
  }
};

/// The members of a JSON object, without the braces.
std::string json_members(const ports::LogEvent& event) {
  nlohmann::ordered_json json = {{"event", event.name}};
  for (const ports::LogField& field : event.fields) {
    std::visit([&](const auto& value) { json[field.name] = value; }, field.value);
  }
  const std::string object =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return visible_json(std::string_view(object).substr(1, object.size() - 2));
}

}  // namespace

std::string plain_text(const ports::LogEvent& event) {
  std::string out = event.name;
  for (const ports::LogField& field : event.fields) {
    out += fmt::format(" {}={}", field.name, std::visit(PlainValue{}, field.value));
  }
  return without_commands(visible(out));
}

struct SpdlogLog::State {
  struct EarlierLine {
    spdlog::log_clock::time_point time;
    spdlog::level::level_enum level;
    std::string text;
  };

  explicit State(LogText how) : text(how) {}

  LogText text;
  spdlog::logger logger{"pinwheel"};
  std::mutex mutex;
  bool stores_earlier = true;
  std::vector<EarlierLine> earlier;
  std::string trouble;

  void add(std::shared_ptr<spdlog::sinks::sink> sink, spdlog::level::level_enum least) {
    sink->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        text == LogText::json ? kJsonPattern : kPlainPattern, spdlog::pattern_time_type::utc));
    sink->set_level(least);
    logger.sinks().push_back(std::move(sink));
  }
};

SpdlogLog::SpdlogLog(LogText text) : state_(std::make_unique<State>(text)) {
  state_->logger.set_level(spdlog::level::debug);
  state_->logger.flush_on(spdlog::level::debug);
  // Called while `write` holds the mutex.
  state_->logger.set_error_handler([state = state_.get()](const std::string& message) {
    if (state->trouble.empty()) state->trouble = message;
  });
}

SpdlogLog::~SpdlogLog() = default;

void SpdlogLog::to_stderr(ports::LogLevel least) {
  const std::lock_guard lock(state_->mutex);
  state_->add(std::make_shared<spdlog::sinks::stderr_sink_mt>(), level_of(least));
}

Done SpdlogLog::to_file(const std::filesystem::path& path) {
  const UniqueFd writable(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!writable.valid()) return fail(system_error("written", path, errno));
  const std::lock_guard lock(state_->mutex);
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    state_->add(sink, spdlog::level::debug);
    for (const State::EarlierLine& line : state_->earlier) {
      spdlog::details::log_msg message(line.time, {}, "pinwheel", line.level, line.text);
      sink->log(message);
    }
    sink->flush();
  } catch (const spdlog::spdlog_ex& thrown) {
    return fail(ErrorKind::environment, thrown.what());
  }
  return {};
}

void SpdlogLog::forget_earlier() {
  const std::lock_guard lock(state_->mutex);
  state_->stores_earlier = false;
  state_->earlier = {};
}

std::string SpdlogLog::trouble() const {
  const std::lock_guard lock(state_->mutex);
  return state_->trouble;
}

void SpdlogLog::write(const ports::LogEvent& event) {
  const std::string text = state_->text == LogText::json ? json_members(event) : plain_text(event);
  const auto level = level_of(event.level);
  const std::lock_guard lock(state_->mutex);
  const auto now = spdlog::log_clock::now();
  if (state_->stores_earlier && state_->earlier.size() < kMostEarlier) {
    state_->earlier.push_back({now, level, text});
  }
  state_->logger.log(now, {}, level, text);
}

}  // namespace pinwheel::host
