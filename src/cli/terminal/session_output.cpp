#include "cli/terminal/session_output.h"

#include "object/json/json.h"

#include <charconv>
#include <cstdio>

namespace trainyard::cli {
namespace {

enum Channel : unsigned char { kOutput = 1, kErrors = 2, kEnd = 3 };
constexpr int kCouldNotRun = 255;

void print(std::FILE* file, std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fflush(file);
}

}  // namespace

std::string why_not_run(std::string_view status) {
  const auto parsed = parse_json(status);
  if (!parsed || string_at(*parsed, "status") == "Success") return "";
  for (const Json& cause : array_at(*parsed, "details.causes")) {
    if (string_at(cause, "reason") == "ExitCode") return "";
  }
  return std::string(string_at(*parsed, "message"));
}

int exit_code_of(std::string_view status) {
  const auto parsed = parse_json(status);
  if (!parsed) return kCouldNotRun;
  if (string_at(*parsed, "status") == "Success") return 0;
  for (const Json& cause : array_at(*parsed, "details.causes")) {
    if (string_at(cause, "reason") != "ExitCode") continue;
    const std::string_view text = string_at(cause, "message");
    int code = kCouldNotRun;
    std::from_chars(text.data(), text.data() + text.size(), code);
    return code;
  }
  return kCouldNotRun;
}

awaitable<Result<int>> print_output(http::WebSocket& socket) {
  while (true) {
    CO_TRY(const http::WebSocket::Message message, co_await socket.read());
    if (message.data.empty()) continue;
    const std::string_view bytes = std::string_view(message.data).substr(1);
    switch (static_cast<unsigned char>(message.data.front())) {
      case kOutput:
        print(stdout, bytes);
        break;
      case kErrors:
        print(stderr, bytes);
        break;
      case kEnd:
        if (const std::string why = why_not_run(bytes); !why.empty()) print(stderr, why + "\n");
        co_return exit_code_of(bytes);
      default:
        break;
    }
  }
}

}  // namespace trainyard::cli
