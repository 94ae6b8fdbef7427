#include "workloads/workloads.h"

#include "workloads/apps/apps.h"
#include "workloads/endpoints_plan.h"

namespace trainyard::workloads {

Workloads::Workloads(Executor loop, client::Api& api, Clock& clock,
                     const std::vector<ServedKind>& built_in, const std::string& ca_bundle)
    : kinds_(loop, api, clock, built_in),
      garbage_(loop, api, clock, kinds_),
      namespaces_(loop, api, clock, kinds_),
      accounts_(loop, api, clock, ca_bundle),
      replica_sets_(loop, api, clock),
      deployments_(loop, api, clock),
      jobs_(loop, api, clock),
      endpoints_(loop, api, clock),
      quotas_(loop, api, clock, kinds_),
      event_expiry_(loop, api, clock),
      tensorboards_(loop, api, clock, tensorboard_),
      notebooks_(loop, api, clock, notebook_) {}

void Workloads::set_up_apps(const std::string& origin, contract::IdleLimits limits) {
  tensorboards_.set_up(origin, limits);
  notebooks_.set_up(origin, limits);
}

void Workloads::start() {
  garbage_.start();
  namespaces_.start();
  accounts_.start();
  if (kinds_.serves(kReplicaSets)) replica_sets_.start();
  if (kinds_.serves(kDeployments)) deployments_.start();
  if (kinds_.serves(kJobs)) jobs_.start();
  if (kinds_.serves(kEndpoints)) endpoints_.start();
  if (kinds_.serves(kResourceQuotas)) quotas_.start();
  event_expiry_.start();
  if (kinds_.serves(contract::kTensorBoards)) tensorboards_.start();
  if (kinds_.serves(contract::kNotebooks)) notebooks_.start();
  kinds_.start();
}

awaitable<void> Workloads::stop() {
  co_await kinds_.stop();
  co_await notebooks_.stop();
  co_await tensorboards_.stop();
  co_await event_expiry_.stop();
  co_await quotas_.stop();
  co_await endpoints_.stop();
  co_await jobs_.stop();
  co_await deployments_.stop();
  co_await replica_sets_.stop();
  co_await accounts_.stop();
  co_await namespaces_.stop();
  co_await garbage_.stop();
}

}  // namespace trainyard::workloads
