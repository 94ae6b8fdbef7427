#pragma once

#include "http/wire/message.h"
#include "server/access/user.h"
#include "server/route.h"

#include <string>

namespace trainyard::server {

/// What somebody wants to do, in the words of the roles.
struct Access {
  std::string verb;   // get, list, watch, create, …; of a path: the method in lower case
  Resource resource;  // the version may be empty: roles know none
  std::string subresource;
  Key key;           // a name that the request gives in its path or field selector
  std::string path;  // when it is no resource
  bool is_resource = true;
};

/// What a request to a resource wants. A list or watch of one object by `metadata.name=x` counts as
/// naming it, and a namespace is an object of the namespace that it is.
Access access_to(const std::string& method, const Route& route, const http::Query& query);
/// What a request to any other path wants.
Access access_to(const std::string& method, const std::string& path);

/// kForbidden, worded as kube-apiserver does, since scripts look for these words. `reason` may be
/// empty.
Error forbidden(const User& user, const Access& access, const std::string& reason);
/// `roles.rbac.authorization.k8s.io "x" is forbidden: ` + why.
Error forbidden_object(const Resource& resource, const std::string& name, const std::string& why);

/// In double quotes, as Go's %q writes it.
std::string in_quotes(std::string_view text);
/// ["a" "b"]
std::string in_quotes(const std::vector<std::string>& texts);

}  // namespace trainyard::server
