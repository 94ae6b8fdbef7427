#pragma once

#include "object/schema/schema.h"

/// Values that depend on other values, and forms that Kubernetes writes otherwise than its users
/// do. Called at every write before the object is validated, so anything may be anywhere; calling
/// them again changes nothing.
namespace trainyard::server {

// rules/pod_defaults.cpp
void complete_pod(Json& pod);
/// A pod's spec in a template of a built-in kind.
void complete_pod_template(Json& object);
/// What a pod gets once, at its creation.
void start_pod(Json& pod);
/// Writes the quality of service that follows from what its containers ask for.
void classify_pod(Json& pod);

// rules/kind_defaults.cpp
void complete_namespace(Json& ns);
void complete_service(Json& service);
void complete_secret(Json& secret);
void complete_deployment(Json& deployment);
void complete_stateful_set(Json& set);
void complete_batch_job(Json& job);
void complete_role_binding(Json& binding);
void complete_limit_range(Json& range);
void complete_definition(Json& definition);
/// The labels by which a job finds its pods; made of its uid, so at its creation.
void start_batch_job(Json& job);

/// Writes amounts as Kubernetes does: 0.5 becomes 500m, 1024Mi becomes 1Gi.
void write_amounts(const Schema& schema, Json& object);

/// Gives a field a value where it has none. Does nothing where the way there is no object.
void set_default(Json& object, std::string_view path, Json value);

}  // namespace trainyard::server
