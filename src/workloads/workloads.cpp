#include "workloads/workloads.h"

namespace trainyard::workloads {

Workloads::Workloads(Executor loop, client::Api& api, Clock& clock,
                     const std::vector<ServedKind>& built_in)
    : kinds_(loop, api, clock, built_in), garbage_(loop, api, clock, kinds_) {}

void Workloads::start() {
  garbage_.start();
  kinds_.start();
}

awaitable<void> Workloads::stop() {
  co_await kinds_.stop();
  co_await garbage_.stop();
}

}  // namespace trainyard::workloads
