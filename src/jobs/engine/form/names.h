#pragma once

#include "jobs/engine/form/form.h"

#include <string>

/// Names, labels and annotations that jobs give to what they make. The outside relies on them.
namespace trainyard::jobs {

inline constexpr const char* kOwnerNameLabel = "tensorstack.dev/owner-name";
inline constexpr const char* kComponentLabel = "tensorstack.dev/component";
inline constexpr const char* kComponentTypeLabel = "tensorstack.dev/component-type";
inline constexpr const char* kReplicaTypeLabel = "replica-type";
inline constexpr const char* kReplicaIndexLabel = "replica-index";
inline constexpr const char* kJobRoleLabel = "job-role";
/// What T9k's scheduler goes by.
inline constexpr const char* kT9kGroupLabel = "scheduler.tensorstack.dev/group-name";
inline constexpr const char* kT9kQueueLabel = "scheduler.tensorstack.dev/queue";
inline constexpr const char* kT9kRoleLabel = "scheduler.tensorstack.dev/role";
/// On a job: the port at which its replicas meet.
inline constexpr const char* kPortAnnotation = "trainyard.dev/port";
/// On a pod: how many pods its replica had before it.
inline constexpr const char* kRestartsAnnotation = "trainyard.dev/restarts";
/// On a pod: the PodGroup that it is placed with; Volcano's name for it.
inline constexpr const char* kGroupAnnotation = "scheduling.k8s.io/group-name";
/// On a PodGroup: the job's own priority, which is no PriorityClass.
inline constexpr const char* kPriorityAnnotation = "trainyard.dev/priority";

/// In a Secret of keys for ssh; Kubernetes' names where it has any.
inline constexpr const char* kPrivateKeyField = "ssh-privatekey";
inline constexpr const char* kPublicKeyField = "ssh-publickey";

/// On a job: how many ports in a row it has, where that is more than one.
inline constexpr const char* kPortsAnnotation = "trainyard.dev/ports";

/// The first port of that annotation; 0 when the job has none yet.
std::int64_t leased_port(const Json& job);
/// How many it has from there on.
std::int64_t leased_ports(const Json& job);

/// Five hex digits that tell jobs of one name apart: of the FNV-1a hash of name and uid.
std::string job_suffix(const Json& job);
/// <job>-<suffix>-<type>-<index>, without the suffix where names are plain, and without the index
/// where there is only one such pod.
std::string pod_name(const Json& job, const JobForm& form, const Replica& replica);
/// The headless service under which the pods' host names resolve.
std::string service_name(const Json& job);
/// The host name of rank 0, the same for every pod.
std::string master_host(const Json& job, const JobForm& form);

}  // namespace trainyard::jobs
