#include "jobs/engine/form/names.h"

#include "base/words/text.h"
#include "object/values/name_suffix.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::jobs {

namespace {

std::int64_t number_in(std::string_view text, std::int64_t fallback) {
  std::int64_t number = fallback;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::int64_t leased_port(const Json& job) {
  return number_in(annotation_of(job, kPortAnnotation), 0);
}

std::int64_t leased_ports(const Json& job) {
  return number_in(annotation_of(job, kPortsAnnotation), 1);
}

std::string job_suffix(const Json& job) {
  return name_suffix(job);
}

std::string pod_name(const Json& job, const JobForm& form, const Replica& replica) {
  const ReplicaGroup& group = form.groups[replica.group];
  const std::string beginning = form.naming.plain ? std::string(name_of(job)) : service_name(job);
  const std::string name = fmt::format("{}-{}", beginning, group.type);
  return group.alone ? name : fmt::format("{}-{}", name, replica.index);
}

std::string service_name(const Json& job) {
  return fmt::format("{}-{}", name_of(job), job_suffix(job));
}

std::string master_host(const Json& job, const JobForm& form) {
  const Replica master{form.first_group, 0, 0};
  const std::string pod = pod_name(job, form, master);
  return form.naming.plain ? pod : fmt::format("{}.{}", pod, service_name(job));
}

}  // namespace trainyard::jobs
