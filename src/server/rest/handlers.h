#pragma once

#include "client/curves.h"
#include "client/pod_sessions.h"
#include "client/pod_stacks.h"
#include "client/pod_streams.h"
#include "client/volume_files.h"
#include "contract/job_progress.h"
#include "contract/usage.h"
#include "contract/usage_history.h"
#include "server/access/auth.h"
#include "server/access/rbac.h"
#include "server/access/reviews.h"
#include "server/rest/call.h"
#include "server/verbs/verbs.h"

#include <functional>

namespace trainyard::server {

/// Where answers come from. All of it outlives the handlers, which take of it what they need.
struct Sources {
  Verbs& verbs;
  const Authenticator& authenticator;
  const Rbac& rbac;
  const Reviews& reviews;
  client::PodStreams& streams;
  client::PodSessions& sessions;
  contract::UsageSource& usage;
  contract::UsageHistories& histories;
  client::VolumeFiles& files;
  client::Curves& curves;
  client::PodStacks& stacks;
  contract::JobProgresses& progresses;
};

/// Answers one kind of call: those of its row in table.cpp.
using CallHandler = std::function<awaitable<Result<>>(Call& call)>;

/// A handler is a function and what it needs.
template <class... Needs>
CallHandler handler(awaitable<Result<>> (*answer)(Call&, Needs&...), Needs&... needs) {
  return [answer, &needs...](Call& call) { return answer(call, needs...); };
}

// One a row, made where it is at home.

// rest_read.cpp, rest_watch.cpp
CallHandler handle_get(const Sources& sources);
CallHandler handle_list(const Sources& sources);
CallHandler handle_watch(const Sources& sources);
// rest_write.cpp
CallHandler handle_create(const Sources& sources);
CallHandler handle_update(const Sources& sources);
CallHandler handle_patch(const Sources& sources);
CallHandler handle_delete(const Sources& sources);
CallHandler handle_delete_collection(const Sources& sources);
// rest_reviews.cpp
CallHandler handle_review(const Sources& sources);
CallHandler handle_token(const Sources& sources);
// rest_metrics.cpp, rest_usage.cpp, rest_progress.cpp
CallHandler handle_get_metrics(const Sources& sources);
CallHandler handle_list_metrics(const Sources& sources);
CallHandler handle_usage(const Sources& sources);
CallHandler handle_progress(const Sources& sources);
// rest_scale.cpp
CallHandler handle_get_scale(const Sources& sources);
CallHandler handle_write_scale(const Sources& sources);
// rest_binding.cpp
CallHandler handle_binding(const Sources& sources);
CallHandler handle_eviction(const Sources& sources);
// rest_log.cpp, rest_stacks.cpp, rest_curves.cpp
CallHandler handle_log(const Sources& sources);
CallHandler handle_kept_logs(const Sources& sources);
CallHandler handle_stacks(const Sources& sources);
CallHandler handle_curves(const Sources& sources);
// rest_sessions.cpp
CallHandler handle_session(const Sources& sources);
// rest_files.cpp
CallHandler handle_look_at_file(const Sources& sources);
CallHandler handle_send_file(const Sources& sources);
CallHandler handle_receive_file(const Sources& sources);
CallHandler handle_make_file(const Sources& sources);
CallHandler handle_rename_file(const Sources& sources);
CallHandler handle_remove_file(const Sources& sources);
// rest_refusals.cpp
CallHandler handle_not_served(const Sources& sources);
CallHandler handle_port_forward(const Sources& sources);
CallHandler handle_ephemeral_containers(const Sources& sources);

}  // namespace trainyard::server
