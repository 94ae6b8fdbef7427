#include "server/wire/request_options.h"

#include "object/protobuf/protobuf.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::server {
namespace {

constexpr const char* kProtobufType = "application/vnd.kubernetes.protobuf";
constexpr std::size_t kLongestManager = 128;

Result<FieldValidation> field_validation(const http::Query& query) {
  const std::string mode = query.get("fieldValidation");
  if (mode.empty() || mode == "Warn") return FieldValidation::kWarn;
  if (mode == "Ignore") return FieldValidation::kIgnore;
  if (mode == "Strict") return FieldValidation::kStrict;
  return Error(Code::kBadRequest, fmt::format("fieldValidation: Unsupported value: \"{}\": "
                                              "supported values: Ignore, Strict, Warn",
                                              mode));
}

Result<bool> dry_run(const http::Query& query) {
  const std::string mode = query.get("dryRun");
  if (mode.empty()) return false;
  if (mode == "All") return true;
  return Error(Code::kBadRequest,
               fmt::format("dryRun: Unsupported value: \"{}\": supported values: All", mode));
}

/// Who writes: the name that the client gives itself, or that of its program.
std::string field_manager(const http::Request& request) {
  std::string manager = request.query.get("fieldManager");
  if (manager.empty()) {
    const std::string_view agent = request.headers.find("User-Agent").value_or("unknown");
    manager = agent.substr(0, agent.find('/'));
  }
  return manager.substr(0, kLongestManager);
}

bool is_apply(const http::Request& request) {
  return request.method == "PATCH" && media_type(request) == kApplyType;
}

}  // namespace

Result<std::optional<std::int64_t>> integer_parameter(const http::Query& query,
                                                      std::string_view name) {
  const std::string text = query.get(name);
  if (text.empty()) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < 0) {
    return Error(Code::kBadRequest,
                 fmt::format("{}: Invalid value: \"{}\": must be a number, 0 or more", name, text));
  }
  return std::optional<std::int64_t>(value);
}

std::string media_type(const http::Request& request) {
  std::string type(request.headers.find("Content-Type").value_or("application/json"));
  type = type.substr(0, type.find(';'));
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return type;
}

Result<Json> decode_body(const http::Request& request) {
  std::vector<std::string> duplicates;
  TRY(Json body, decode_body(request, duplicates));
  if (duplicates.empty()) return body;
  return Error(Code::kBadRequest, fmt::format("the body has a {}", duplicates.front()));
}

Result<Json> decode_body(const http::Request& request, std::vector<std::string>& duplicates) {
  const std::string type = media_type(request);
  if (type == kProtobufType) {
    auto decoded = decode_protobuf(request.body);
    if (decoded) return decoded;
    return Error(Code::kBadRequest, decoded.error().message());
  }
  const bool yaml = type == "application/yaml" || type == kApplyType;
  const bool either = patch_type(request) && patch_type(request) != client::PatchType::kJson;
  return yaml || either ? parse_json_or_yaml(request.body, duplicates)
                        : parse_json(request.body, duplicates);
}

std::optional<client::PatchType> patch_type(const http::Request& request) {
  const std::string type = media_type(request);
  if (type == "application/merge-patch+json") return client::PatchType::kMerge;
  if (type == "application/strategic-merge-patch+json") return client::PatchType::kStrategic;
  if (type == "application/json-patch+json") return client::PatchType::kJson;
  return std::nullopt;
}

std::string body_type_problem(const http::Request& request) {
  if (request.method == "PATCH" && !patch_type(request) && !is_apply(request)) {
    return fmt::format(
        "patches of type {} are not supported: use application/merge-patch+json, "
        "application/strategic-merge-patch+json, application/json-patch+json or {}",
        media_type(request), kApplyType);
  }
  if (request.method == "PATCH" || request.method == "GET" || request.body.empty()) return "";
  const std::string type = media_type(request);
  if (type == "application/json" || type == "application/yaml" || type == kProtobufType) return "";
  return fmt::format(
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json, application/yaml, {}",
      kProtobufType);
}

Result<WriteOptions> write_options(const http::Request& request) {
  WriteOptions options;
  TRY(options.dry_run, dry_run(request.query));
  TRY(options.validation, field_validation(request.query));
  options.manager = field_manager(request);
  const bool forced = request.query.find("force").has_value();
  if (is_apply(request) && request.query.get("fieldManager").empty()) {
    return Error(Code::kInvalid,
                 "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
                 "required for apply patch");
  }
  if (!is_apply(request) && request.method == "PATCH" && forced) {
    return Error(Code::kInvalid,
                 "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified "
                 "for non-apply patch");
  }
  return options;
}

Result<ListRequest> list_request(const Route& route, const http::Query& query) {
  ListRequest request;
  request.ns = route.key.ns;
  request.labels = query.get("labelSelector");
  request.fields = query.get("fieldSelector");
  TRY(const auto limit, integer_parameter(query, "limit"));
  request.limit = limit.value_or(0);
  request.continue_token = query.get("continue");
  request.resource_version = query.get("resourceVersion");
  request.version_match = query.get("resourceVersionMatch");
  const bool exact = request.version_match == "Exact";
  const bool versioned = !request.resource_version.empty() && request.resource_version != "0";
  if (!request.continue_token.empty() && versioned) {
    return Error(Code::kBadRequest,
                 "specifying resource version is not allowed when using continue");
  }
  if (!request.version_match.empty() && request.resource_version.empty() && !query.flag("watch")) {
    return Error(Code::kInvalid,
                 "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless "
                 "resourceVersion is provided");
  }
  if (exact && (request.resource_version.empty() || request.resource_version == "0")) {
    return Error(Code::kInvalid,
                 "resourceVersionMatch: Forbidden: Exact needs a resourceVersion other than 0");
  }
  if (!request.version_match.empty() && !exact && request.version_match != "NotOlderThan") {
    return Error(Code::kInvalid, fmt::format("resourceVersionMatch: Unsupported value: \"{}\": "
                                             "supported values: Exact, NotOlderThan",
                                             request.version_match));
  }
  return request;
}

Result<DeleteRequest> delete_request(const http::Request& request) {
  DeleteRequest removal;
  TRY(removal.dry_run, dry_run(request.query));
  TRY(removal.grace_seconds, integer_parameter(request.query, "gracePeriodSeconds"));
  removal.propagation = request.query.get("propagationPolicy");
  if (request.query.flag("orphanDependents")) removal.propagation = "Orphan";
  if (request.body.empty()) return removal;
  TRY(const Json body, decode_body(request));
  if (const Json* grace = find(body, "gracePeriodSeconds"); grace != nullptr && grace->is_int64()) {
    removal.grace_seconds = grace->get_int64();
  }
  if (find(body, "orphanDependents") != nullptr && find(body, "propagationPolicy") != nullptr) {
    return Error(Code::kInvalid,
                 "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Invalid value: "
                 "orphanDependents and deletionPropagation cannot be both set");
  }
  if (bool_at(body, "orphanDependents")) removal.propagation = "Orphan";
  if (const std::string_view policy = string_at(body, "propagationPolicy"); !policy.empty()) {
    removal.propagation = policy;
  }
  removal.uid = string_at(body, "preconditions.uid");
  removal.resource_version = string_at(body, "preconditions.resourceVersion");
  removal.dry_run = removal.dry_run || !array_at(body, "dryRun").empty();
  return removal;
}

}  // namespace trainyard::server
