#include "server/wire/pod_channels.h"

#include "object/json/json.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::server {
namespace {

constexpr std::string_view kSpoken[] = {kCountedProtocol, "v5.channel.k8s.io", "v4.channel.k8s.io"};

bool lists(std::string_view offered, std::string_view wanted) {
  while (!offered.empty()) {
    std::string_view one = offered.substr(0, offered.find(','));
    offered.remove_prefix(std::min(one.size() + 1, offered.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one == wanted) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> choose_subprotocol(std::string_view offered) {
  for (const std::string_view spoken : kSpoken) {
    if (lists(offered, spoken)) return std::string(spoken);
  }
  return std::nullopt;
}

std::string channel_message(Channel channel, std::string_view bytes) {
  std::string message(1, static_cast<char>(channel));
  message += bytes;
  return message;
}

std::optional<TerminalSize> parse_size(std::string_view json) {
  const auto parsed = parse_json(json);
  if (!parsed) return std::nullopt;
  const std::int64_t width = int_at(*parsed, "Width");
  const std::int64_t height = int_at(*parsed, "Height");
  if (width < 0 || width > UINT16_MAX || height < 0 || height > UINT16_MAX) return std::nullopt;
  return TerminalSize{static_cast<std::uint16_t>(width), static_cast<std::uint16_t>(height)};
}

std::size_t parse_taken(std::string_view text) {
  std::size_t bytes = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return problem == std::errc() && end == text.data() + text.size() ? bytes : 0;
}

std::string end_status(const client::SessionEnd& end) {
  if (end.exit_code == 0) return to_text(Json{{"metadata", JsonObject()}, {"status", "Success"}});
  const std::string code = std::to_string(end.exit_code);
  const std::string why = end.message.empty() ? "" : ": " + end.message;
  return to_text(
      Json{{"metadata", JsonObject()},
           {"status", "Failure"},
           {"message", "command terminated with non-zero exit code " + code + why},
           {"reason", "NonZeroExitCode"},
           {"details", {{"causes", JsonArray{{{"reason", "ExitCode"}, {"message", code}}}}}}});
}

}  // namespace trainyard::server
