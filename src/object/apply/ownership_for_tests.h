#pragma once

#include "object/apply/ownership.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace trainyard {

// What the tests of managed fields and of server-side apply share.

inline Json read(std::string_view text) {
  return *parse_json(text);
}

inline const Schema& deployment_schema() {
  static const auto kSchema = *Schema::compile(read(R"({"type":"object","properties":{
    "apiVersion":{"type":"string"},"kind":{"type":"string"},
    "metadata":{"type":"object","properties":{
      "name":{"type":"string"},"namespace":{"type":"string"},"uid":{"type":"string"},
      "resourceVersion":{"type":"string"},"generation":{"type":"integer"},
      "creationTimestamp":{"type":"string"},"selfLink":{"type":"string"},
      "labels":{"type":"object","additionalProperties":{"type":"string"}},
      "annotations":{"type":"object","additionalProperties":{"type":"string"}},
      "finalizers":{"type":"array","items":{"type":"string"},
        "x-kubernetes-patch-strategy":"merge"},
      "managedFields":{"type":"array","items":{"type":"object",
        "x-kubernetes-preserve-unknown-fields":true}}}},
    "spec":{"type":"object","properties":{
      "replicas":{"type":"integer"},"paused":{"type":"boolean"},
      "selector":{"type":"object","x-kubernetes-map-type":"atomic",
        "additionalProperties":{"type":"string"}},
      "containers":{"type":"array","x-kubernetes-patch-merge-key":"name","items":{"type":"object",
        "properties":{"name":{"type":"string"},"image":{"type":"string"},
          "args":{"type":"array","items":{"type":"string"}},
          "env":{"type":"array","x-kubernetes-patch-merge-key":"name","items":{"type":"object",
            "properties":{"name":{"type":"string"},"value":{"type":"string"}}}}}}}}},
    "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})"),
                                               {});
  return *kSchema;
}

/// apps/v1 Deployment "web" with what is given added at the top and in metadata.
inline Json deployment(std::string_view rest, std::string_view metadata = "") {
  return read(fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web"{}{}}}{}{}}})",
      metadata.empty() ? "" : ",", metadata, rest.empty() ? "" : ",", rest));
}

/// A manager at a minute of the day: times show as 00:05.
inline FieldManager at(int minute, std::string name, std::string subresource = "") {
  return {std::move(name), "apps/v1", std::move(subresource),
          fmt::format("2026-11-16T{:02}:{:02}:00Z", minute / 60, minute % 60)};
}

/// "kubectl Update 00:05: .spec.replicas .spec.paused", one for each entry, in their order.
inline std::vector<std::string> owners_of(const Json& object) {
  std::vector<std::string> lines;
  for (const Json& entry : array_at(object, "metadata.managedFields")) {
    std::string line =
        fmt::format("{} {}", string_at(entry, "manager"), string_at(entry, "operation"));
    if (const auto text = string_at(entry, "subresource"); !text.empty()) {
      line += fmt::format(" of {}", text);
    }
    if (const auto time = string_at(entry, "time"); !time.empty()) {
      line += fmt::format(" {}", time.substr(11, 5));
    }
    line += ":";
    for (const std::string& path : FieldSet::parse(*find(entry, "fieldsV1"))->paths()) {
      line += " " + path;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

using Lines = std::vector<std::string>;

/// The object as it is stored after a create or update of `after`.
inline Json updated(Json after, const Json* before, const FieldManager& manager) {
  if (before != nullptr) make_path(after, "metadata.uid") = "u";
  track_update(after, before, deployment_schema(), manager);
  make_path(after, "metadata.uid") = "u";
  return after;
}

inline Json created(Json object, const FieldManager& manager) {
  return updated(std::move(object), nullptr, manager);
}

}  // namespace trainyard
