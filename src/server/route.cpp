#include "server/route.h"

#include <vector>

namespace trainyard::server {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ') out += c;
  }
  return out;
}

}  // namespace

std::optional<Route> parse_route(std::string_view path) {
  const std::vector<std::string> parts = split(path, '/');
  Route route;
  std::size_t next = 0;
  if (parts.size() >= 3 && parts[0] == "api") {
    route.resource.version = parts[1];
    next = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    route.resource.group = parts[1];
    route.resource.version = parts[2];
    next = 3;
  } else {
    return std::nullopt;
  }
  // /namespaces/NS alone is the namespace itself, and so are its subresources.
  const std::size_t left = parts.size() - next;
  const bool scoped = parts[next] == "namespaces" && left >= 3 && parts[next + 2] != "status" &&
                      parts[next + 2] != "finalize";
  if (scoped) {
    route.key.ns = parts[next + 1];
    next += 2;
  }
  route.resource.plural = parts[next++];
  if (next < parts.size()) route.key.name = parts[next++];
  if (next < parts.size()) route.subresource = parts[next++];
  if (next < parts.size()) return std::nullopt;
  return route;
}

Form choose_form(std::string_view accept) {
  if (accept.empty()) return Form::kJson;
  for (const std::string& entry : split(accept, ',')) {
    const std::vector<std::string> parameters = split(without_blanks(entry), ';');
    if (parameters.empty()) continue;
    const std::string& type = parameters[0];
    if (type != "application/json" && type != "*/*" && type != "application/*") continue;
    std::string as;
    for (const std::string& parameter : parameters) {
      if (parameter.starts_with("as=")) as = parameter.substr(3);
    }
    if (as.empty()) return Form::kJson;
    if (as == "Table") return Form::kTable;
    if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") return Form::kMetadata;
  }
  return Form::kNone;
}

bool accepts_aggregated(std::string_view accept) {
  for (const std::string& entry : split(accept, ',')) {
    const std::string type = without_blanks(entry);
    if (!type.starts_with("application/json")) continue;
    const bool in_one = type.find("as=APIGroupDiscoveryList") != std::string::npos;
    const bool known = type.find(";v=v2;") != std::string::npos || type.ends_with(";v=v2");
    if (in_one && known) return true;
    if (!in_one) return false;  // the plain form comes first
  }
  return false;
}

}  // namespace trainyard::server
