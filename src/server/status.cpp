#include "server/status.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

struct Meaning {
  int http;
  const char* reason;
};

Meaning meaning_of(Code code) {
  switch (code) {
    case Code::kInvalid:
      return {422, "Invalid"};
    case Code::kBadRequest:
      return {400, "BadRequest"};
    case Code::kUnauthorized:
      return {401, "Unauthorized"};
    case Code::kForbidden:
      return {403, "Forbidden"};
    case Code::kNotFound:
      return {404, "NotFound"};
    case Code::kAlreadyExists:
      return {409, "AlreadyExists"};
    case Code::kConflict:
      return {409, "Conflict"};
    case Code::kExpired:
      return {410, "Expired"};
    case Code::kTooLarge:
      return {413, "RequestEntityTooLarge"};
    case Code::kUnsupported:
      return {405, "MethodNotAllowed"};
    case Code::kTimeout:
      return {504, "Timeout"};
    case Code::kCancelled:
    case Code::kUnavailable:
      return {503, "ServiceUnavailable"};
    case Code::kInternal:
      return {500, "InternalError"};
  }
  return {500, "InternalError"};
}

std::string qualified(const Kind& kind) {
  return kind.resource.group.empty() ? kind.resource.plural
                                     : kind.resource.plural + "." + kind.resource.group;
}

}  // namespace

int http_status(Code code) {
  return meaning_of(code).http;
}

Json status_of(const Error& error) {
  const Meaning meaning = meaning_of(error.code());
  JsonObject status{{"kind", "Status"},    {"apiVersion", "v1"},         {"metadata", JsonObject()},
                    {"status", "Failure"}, {"message", error.message()}, {"reason", meaning.reason},
                    {"code", meaning.http}};
  if (!error.causes().empty()) {
    JsonArray causes;
    for (const FieldError& cause : error.causes()) {
      JsonObject told{{"reason", cause.reason}, {"message", cause.message}};
      if (!cause.field.empty()) told["field"] = cause.field;
      causes.push_back(std::move(told));
    }
    status["details"] = JsonObject{{"causes", std::move(causes)}};
  }
  return status;
}

Json status_of(const Error& error, const Kind& kind, const std::string& name) {
  Json status = status_of(error);
  // With details kubectl prints the causes and leaves out the message: where there are none, all.
  if (error.code() == Code::kInvalid && error.causes().empty()) return status;
  JsonObject details;
  std::string subject = name;
  const bool invalid = error.code() == Code::kInvalid;
  // What is created has its name in the body only; the message begins with it: Pod "x" is invalid.
  const bool about_body = invalid || error.code() == Code::kAlreadyExists;
  if (const std::string& text = error.message(); subject.empty() && about_body) {
    const std::size_t begin = text.find('"');
    const std::size_t end = begin == std::string::npos ? begin : text.find('"', begin + 1);
    if (end != std::string::npos) subject = text.substr(begin + 1, end - begin - 1);
  }
  if (!subject.empty()) details["name"] = subject;
  if (!kind.resource.group.empty()) details["group"] = kind.resource.group;
  details["kind"] = invalid ? kind.kind : kind.resource.plural;
  for (const auto& member : object_at(status, "details")) details[member.key()] = member.value();
  status.get_object()["details"] = std::move(details);
  return status;
}

Error not_found(const Kind& kind, const std::string& name) {
  return Error(Code::kNotFound, fmt::format("{} \"{}\" not found", qualified(kind), name));
}

Error already_exists(const Kind& kind, const std::string& name) {
  return Error(Code::kAlreadyExists,
               fmt::format("{} \"{}\" already exists", qualified(kind), name));
}

Error modified_meanwhile(const Kind& kind, const std::string& name) {
  return Error(Code::kConflict,
               fmt::format("Operation cannot be fulfilled on {} \"{}\": the object has been "
                           "modified; please apply your changes to the latest version and try "
                           "again",
                           qualified(kind), name));
}

Error forbidden_object(const Kind& kind, const std::string& name, const std::string& why,
                       std::vector<FieldError> causes) {
  return Error(Code::kForbidden,
               fmt::format("{} \"{}\" is forbidden: {}", qualified(kind), name, why),
               std::move(causes));
}

Error invalid_object(const Kind& kind, const std::string& name, std::vector<FieldError> causes) {
  const std::string type =
      kind.resource.group.empty() ? kind.kind : kind.kind + "." + kind.resource.group;
  std::string list;
  for (const FieldError& cause : causes) {
    list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", cause.field, cause.message);
  }
  if (causes.size() > 1) list = "[" + list + "]";
  return Error(Code::kInvalid, fmt::format("{} \"{}\" is invalid: {}", type, name, list),
               std::move(causes));
}

Error too_large_version(std::int64_t asked, std::int64_t current) {
  return Error(Code::kTimeout,
               fmt::format("Too large resource version: {}, current: {}", asked, current),
               {{"", "Too large resource version", "ResourceVersionTooLarge"}});
}

Json deletion_status(const Kind& kind, const Json& object) {
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", JsonObject()},
          {"status", "Success"},
          {"details",
           {{"name", name_of(object)},
            {"group", kind.resource.group},
            {"kind", kind.resource.plural},
            {"uid", uid_of(object)}}}};
}

}  // namespace trainyard::server
