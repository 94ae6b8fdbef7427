#pragma once

#include "workloads/account_controller.h"
#include "workloads/apps/deployment_controller.h"
#include "workloads/apps/replica_set_controller.h"
#include "workloads/batch/job_controller.h"
#include "workloads/endpoints_controller.h"
#include "workloads/event_expiry.h"
#include "workloads/garbage_collector.h"
#include "workloads/namespace_controller.h"
#include "workloads/quota_controller.h"
#include "workloads/served_kinds.h"
#include "workloads/web_apps/app_controller.h"
#include "workloads/web_apps/notebook.h"
#include "workloads/web_apps/tensorboard.h"

#include <string>
#include <vector>

namespace trainyard::workloads {

/// The controllers that a Kubernetes API is expected to come with. Each runs only when the kinds
/// that it works on are served.
class Workloads {
 public:
  /// `built_in`: the kinds that are always served. `ca_bundle`: by what pods know the API server.
  Workloads(Executor loop, client::Api& api, Clock& clock, const std::vector<ServedKind>& built_in,
            const std::string& ca_bundle);
  /// Before start(): where people find web apps, and when those that nobody uses end.
  void set_up_apps(const std::string& origin, contract::IdleLimits limits);
  void start();
  awaitable<void> stop();

 private:
  ServedKinds kinds_;
  GarbageCollector garbage_;
  NamespaceController namespaces_;
  AccountController accounts_;
  ReplicaSetController replica_sets_;
  DeploymentController deployments_;
  JobController jobs_;
  EndpointsController endpoints_;
  QuotaController quotas_;
  EventExpiry event_expiry_;
  TensorBoard tensorboard_;
  Notebook notebook_;
  AppController tensorboards_;
  AppController notebooks_;
};

}  // namespace trainyard::workloads
