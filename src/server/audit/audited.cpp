#include "server/audit/audited.h"

namespace trainyard::server {
namespace {

/// Questions that are asked by POST.
bool is_review(const Resource& resource) {
  return resource.group == "authorization.k8s.io" || resource.group == "authentication.k8s.io";
}

bool is_session(const Access& access) {
  return access.resource.group.empty() && access.resource.plural == "pods" &&
         (access.subresource == "exec" || access.subresource == "attach" ||
          access.subresource == "portforward");
}

bool is_read(const std::string& verb) {
  return verb == "get" || verb == "list" || verb == "watch";
}

}  // namespace

bool is_audited(const Access& access, const http::Query& query, int status) {
  constexpr int kUnauthorized = 401;
  constexpr int kForbidden = 403;
  if (status == kUnauthorized || status == kForbidden) return true;
  if (!access.is_resource) return access.path == "/login-links" && access.verb == "post";
  if (is_session(access)) return true;
  if (is_read(access.verb)) {
    return access.resource.group.empty() && access.resource.plural == "secrets";
  }
  return !is_review(access.resource) && !query.find("dryRun");
}

contract::AuditEntry audit_entry(const Access& access, const http::Request& request) {
  contract::AuditEntry entry;
  entry.verb = access.verb;
  entry.source = request.peer;
  if (!access.is_resource) {
    entry.path = access.path;
    return entry;
  }
  entry.resource = access.resource.plural;
  if (!access.resource.group.empty()) entry.resource += "." + access.resource.group;
  entry.subresource = access.subresource;
  entry.ns = access.key.ns;
  entry.name = access.key.name;
  return entry;
}

}  // namespace trainyard::server
