#include "server/access/access.h"

#include "base/words/text.h"
#include "object/values/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace trainyard::server {
namespace {

/// Empty for methods that no resource knows: no rule but `*` allows that.
std::string verb_of(const std::string& method, bool named, bool watch) {
  if (method == "GET" || method == "HEAD") return named ? "get" : watch ? "watch" : "list";
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return named ? "delete" : "deletecollection";
  return "";
}

/// The one name that a field selector lets through; empty when it lets through more.
std::string selected_name(const std::string& selector) {
  const auto parsed = FieldSelector::parse(selector);
  if (!parsed) return {};
  std::string name = parsed->required_value("metadata.name").value_or("");
  const bool could_be_a_name =
      name != "." && name != ".." && name.find_first_of("/%") == std::string::npos;
  return could_be_a_name ? name : std::string();
}

}  // namespace

Access access_to(const std::string& method, const Route& route, const http::Query& query) {
  Access access;
  const bool named = !route.key.name.empty();
  access.verb = verb_of(method, named, query.flag("watch"));
  access.resource = route.resource;
  access.subresource = route.subresource;
  access.key = route.key;
  if (access.verb == "list" || access.verb == "watch") {
    access.key.name = selected_name(query.get("fieldSelector"));
  }
  if (route.resource.group.empty() && route.resource.plural == "namespaces" && named) {
    access.key.ns = route.key.name;
  }
  return access;
}

Access access_to(const std::string& method, const std::string& path) {
  Access access;
  access.verb = lower(method);
  access.path = path;
  access.is_resource = false;
  return access;
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string in_quotes(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? " " : "") + in_quotes(text);
  return out + "]";
}

Error forbidden_object(const Resource& resource, const std::string& name, const std::string& why) {
  std::string what = resource.plural;
  if (!resource.group.empty()) what += "." + resource.group;
  if (!name.empty()) what += " " + in_quotes(name);
  return Error(Code::kForbidden, fmt::format("{} is forbidden: {}", what, why));
}

Error forbidden(const User& user, const Access& access, const std::string& reason) {
  const std::string tail = reason.empty() ? "" : ": " + reason;
  if (!access.is_resource) {
    return Error(Code::kForbidden,
                 fmt::format("forbidden: User {} cannot {} path {}{}", in_quotes(user.name),
                             access.verb, in_quotes(access.path), tail));
  }
  std::string resource = access.resource.plural;
  if (!access.subresource.empty()) resource += "/" + access.subresource;
  const std::string scope = access.key.ns.empty()
                                ? "at the cluster scope"
                                : fmt::format("in the namespace {}", in_quotes(access.key.ns));
  return forbidden_object(
      access.resource, access.key.name,
      fmt::format("User {} cannot {} resource {} in API group {} {}{}", in_quotes(user.name),
                  access.verb, in_quotes(resource), in_quotes(access.resource.group), scope, tail));
}

}  // namespace trainyard::server
