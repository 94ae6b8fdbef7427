#pragma once

#include "object/values/metadata.h"

#include <optional>
#include <string>
#include <string_view>

namespace trainyard::server {

/// What a path of the API speaks of: /apis/G/V/namespaces/NS/PLURAL/NAME/SUBRESOURCE.
struct Route {
  Resource resource;
  Key key;
  std::string subresource;
};

/// Nothing when the path is not that of a resource.
std::optional<Route> parse_route(std::string_view path);

/// How the client wants its answer, from its Accept header.
enum class Form : std::uint8_t { kJson, kTable, kMetadata, kNone };

/// The first form of the list that we can give; kNone when there is none.
Form choose_form(std::string_view accept);

/// Whether the client prefers discovery in one document (apidiscovery.k8s.io/v2).
bool accepts_aggregated(std::string_view accept);

}  // namespace trainyard::server
