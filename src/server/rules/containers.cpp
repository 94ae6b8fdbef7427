#include "server/rules/containers.h"

#include "object/values/names.h"
#include "server/rules/resources.h"
#include "server/rules/volumes.h"

namespace trainyard::server {
namespace {

void check_ports(const Json& container, const std::string& path, PodContext& pod, Errors& errors) {
  std::set<std::string> names;
  std::size_t index = 0;
  for (const Json& port : array_at(container, "ports")) {
    const std::string here = at(path + ".ports", index++);
    if (const std::string name(string_at(port, "name")); !name.empty()) {
      add_problems(port_name_problems(name), here + ".name", name, errors);
      if (!names.insert(name).second) {
        errors.push_back(field_errors::duplicate(here + ".name", Json(name)));
      }
    }
    const std::int64_t number = int_at(port, "containerPort");
    if (number == 0) {
      errors.push_back(field_errors::required(here + ".containerPort"));
    } else {
      check_port(Json(number), here + ".containerPort", errors);
    }
    const std::int64_t host = int_at(port, "hostPort");
    if (host == 0) continue;
    check_port(Json(host), here + ".hostPort", errors);
    if (pod.host_network && host != number) {
      errors.push_back(field_errors::invalid(here + ".containerPort", Json(number),
                                             "must match `hostPort` when `hostNetwork` is true"));
    }
    const std::string taken = fmt::format("{}/{}/{}", string_at(port, "protocol", "TCP"),
                                          string_at(port, "hostIP"), host);
    if (!pod.host_ports.insert(taken).second) {
      errors.push_back(field_errors::duplicate(here + ".hostPort", Json(taken)));
    }
  }
}

void check_mounts(const Json& container, const std::string& path, const PodContext& pod,
                  Errors& errors) {
  std::set<std::string> places;
  std::size_t index = 0;
  for (const Json& mount : array_at(container, "volumeMounts")) {
    const std::string here = at(path + ".volumeMounts", index++);
    const std::string name(string_at(mount, "name"));
    if (name.empty()) {
      errors.push_back(field_errors::required(here + ".name"));
    } else if (!pod.volumes.contains(name)) {
      errors.push_back(not_found(here + ".name", name));
    }
    const std::string place(string_at(mount, "mountPath"));
    if (place.empty()) {
      errors.push_back(field_errors::required(here + ".mountPath"));
    } else if (!place.starts_with('/')) {
      // Kubernetes leaves this to the runtime; ours would have to guess what it is relative to.
      errors.push_back(
          field_errors::invalid(here + ".mountPath", Json(place), "must be an absolute path"));
    } else if (!places.insert(place).second) {
      errors.push_back(field_errors::invalid(here + ".mountPath", Json(place), "must be unique"));
    }
    check_inner_path(string_at(mount, "subPath"), here + ".subPath", errors);
    check_inner_path(string_at(mount, "subPathExpr"), here + ".subPathExpr", errors);
    if (!string_at(mount, "subPath").empty() && !string_at(mount, "subPathExpr").empty()) {
      errors.push_back(field_errors::invalid(here + ".subPathExpr",
                                             Json(string_at(mount, "subPathExpr")),
                                             "subPathExpr and subPath are mutually exclusive"));
    }
  }
}

void check_probe(const Json& container, std::string_view which, const std::string& path,
                 Errors& errors) {
  const Json* probe = find(container, which);
  if (probe == nullptr) return;
  const std::string here = fmt::format("{}.{}", path, which);
  check_handler(*probe, here, errors);
  for (const char* field : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                            "successThreshold", "failureThreshold"}) {
    if (const std::int64_t value = int_at(*probe, field); value < 0) {
      errors.push_back(
          field_errors::invalid(fmt::format("{}.{}", here, field), Json(value), kNotNegative));
    }
  }
  const std::int64_t successes = int_at(*probe, "successThreshold", 1);
  if (which != "readinessProbe" && successes != 1) {
    errors.push_back(
        field_errors::invalid(here + ".successThreshold", Json(successes), "must be 1"));
  }
  if (const Json* grace = find(*probe, "terminationGracePeriodSeconds")) {
    if (grace->is_int64() && grace->get_int64() <= 0) {
      errors.push_back(field_errors::invalid(here + ".terminationGracePeriodSeconds", *grace,
                                             "must be greater than 0"));
    }
  }
}

void check_hooks(const Json& container, const std::string& path, Errors& errors) {
  for (const char* hook : {"postStart", "preStop"}) {
    if (const Json* handler = find(container, std::string("lifecycle.") + hook)) {
      check_handler(*handler, fmt::format("{}.lifecycle.{}", path, hook), errors);
    }
  }
}

void check_security(const Json& container, const std::string& path, Errors& errors) {
  for (const char* id : {"runAsUser", "runAsGroup"}) {
    const Json* value = find(container, std::string("securityContext.") + id);
    if (value == nullptr || !value->is_int64()) continue;
    if (value->get_int64() < 0 || value->get_int64() > 2147483647) {
      errors.push_back(field_errors::invalid(fmt::format("{}.securityContext.{}", path, id), *value,
                                             "must be between 0 and 2147483647, inclusive"));
    }
  }
  const bool escalates = bool_at(container, "securityContext.allowPrivilegeEscalation", true);
  if (!escalates && bool_at(container, "securityContext.privileged")) {
    errors.push_back(field_errors::invalid(
        path + ".securityContext", *find(container, "securityContext"),
        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
  }
}

/// Init containers end before the others start, so nobody asks how they are.
void check_init_container(const Json& container, const std::string& path, Errors& errors) {
  if (string_at(container, "restartPolicy") == "Always") return;
  for (const char* field : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (find(container, field) == nullptr) continue;
    errors.push_back(
        field_errors::forbidden(fmt::format("{}.{}", path, field),
                                "may not be set for init containers without restartPolicy=Always"));
  }
}

void check_container_name(const Json& container, const std::string& path, PodContext& pod,
                          Errors& errors) {
  const std::string name(string_at(container, "name"));
  if (name.empty()) {
    errors.push_back(field_errors::required(path + ".name"));
    return;
  }
  add_problems(label_problems(name), path + ".name", name, errors);
  if (!pod.names.insert(name).second) {
    errors.push_back(field_errors::duplicate(path + ".name", Json(name)));
  }
}

void check_image(const Json& container, const std::string& path, Errors& errors) {
  const std::string_view image = string_at(container, "image");
  constexpr std::string_view kBlank = " \t\r\n";
  if (image.empty() || (kBlank.find(image.front()) == std::string_view::npos &&
                        kBlank.find(image.back()) == std::string_view::npos)) {
    return;
  }
  errors.push_back(field_errors::invalid(path + ".image", Json(image),
                                         "must not have leading or trailing whitespace"));
}

}  // namespace

void check_handler(const Json& handler, const std::string& path, Errors& errors) {
  std::size_t kinds = 0;
  for (const char* kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const Json* found = find(handler, kind);
    if (found == nullptr) continue;
    const std::string here = fmt::format("{}.{}", path, kind);
    if (++kinds > 1) {
      errors.push_back(field_errors::forbidden(here, "may not specify more than 1 handler type"));
      continue;
    }
    if (const Json* port = find(*found, "port")) check_port_or_name(*port, here + ".port", errors);
    if (kind == std::string_view("exec") && array_at(*found, "command").empty()) {
      errors.push_back(field_errors::required(here + ".command"));
    }
  }
  if (kinds == 0) {
    errors.push_back(field_errors::required(path, "must specify a handler type"));
  }
}

void check_containers(const JsonArray& containers, ContainerRole role, const std::string& path,
                      PodContext& pod, Errors& errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Json& container = containers[i];
    const std::string here = at(path, i);
    check_container_name(container, here, pod, errors);
    check_image(container, here, errors);
    check_ports(container, here, pod, errors);
    check_environment(container, here, errors);
    check_mounts(container, here, pod, errors);
    if (const Json* resources = find(container, "resources")) {
      check_resources(*resources, here + ".resources", errors);
    }
    check_security(container, here, errors);
    if (role == ContainerRole::kInit) check_init_container(container, here, errors);
    for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      check_probe(container, probe, here, errors);
    }
    check_hooks(container, here, errors);
  }
}

}  // namespace trainyard::server
