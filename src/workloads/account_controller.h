#pragma once

#include "base/task_group.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"

#include <string>

namespace trainyard::workloads {

inline const Resource kConfigMaps{"", "v1", "configmaps"};

/// Gives every namespace what pods in it rely on: the ServiceAccount `default`, and the ConfigMap
/// `kube-root-ca.crt` by which they know the API server. Whoever deletes or changes them gets them
/// back.
class AccountController final : public client::Reconciler {
 public:
  AccountController(Executor loop, client::Api& api, Clock& clock, std::string ca_bundle);
  void start();
  awaitable<void> stop();

  /// The key is a namespace's.
  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  awaitable<Result<>> provide_account(std::string ns);
  awaitable<Result<>> provide_ca(std::string ns);

  client::Api& api_;
  std::string ca_bundle_;
  client::Controller controller_;
  client::Informer namespaces_;
  client::Informer accounts_;
  client::Informer config_maps_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
