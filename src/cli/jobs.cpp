#include "cli/commands.h"
#include "cli/jobs_view.h"
#include "cli/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

void print_section(const char* title, const std::vector<std::string>& heading,
                   const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return;
  fmt::print("\n{}\n{}", title, format_table(heading, rows));
}

std::vector<std::vector<std::string>> condition_rows(const Json& job) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& condition : array_at(job, "status.conditions")) {
    rows.push_back({std::string(string_at(condition, "type")),
                    std::string(string_at(condition, "status")),
                    std::string(string_at(condition, "lastTransitionTime")),
                    std::string(string_at(condition, "message"))});
  }
  return rows;
}

std::vector<std::vector<std::string>> replica_rows(const Json& job) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& task : array_at(job, "status.tasks")) {
    for (const Json& replica : array_at(task, "replicas")) {
      std::string exit = "-";
      for (const Json& container : array_at(replica, "containers")) {
        if (find(container, "exitCode") != nullptr) {
          exit = std::to_string(int_at(container, "exitCode"));
        }
      }
      rows.push_back({std::string(string_at(replica, "name")),
                      std::string(string_at(replica, "phase")), exit,
                      std::to_string(int_at(replica, "restarts"))});
    }
  }
  return rows;
}

awaitable<Result<std::vector<ObjectPtr>>> events_of(client::RemoteApi& api, Key key,
                                                    std::string uid) {
  client::ListOptions options;
  options.ns = key.ns;
  options.fields = "involvedObject.uid=" + uid;
  CO_TRY(client::Listing listing, co_await api.list(kEvents, options));
  // Times are whole seconds: within one, the order in which events were written decides.
  std::sort(listing.items.begin(), listing.items.end(),
            [](const ObjectPtr& a, const ObjectPtr& b) { return a->revision() < b->revision(); });
  co_return std::move(listing.items);
}

}  // namespace

Result<int> list(const Flags& flags) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  const std::string ns = flags.all_namespaces ? "" : session->ns();
  TRY(std::vector<ObjectPtr> jobs, session->run(list_jobs(session->api(), ns)));
  std::sort(jobs.begin(), jobs.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    const auto newer = string_at(b->body(), "metadata.creationTimestamp") <=>
                       string_at(a->body(), "metadata.creationTimestamp");
    return newer != 0 ? newer < 0 : name_of(a->body()) < name_of(b->body());
  });
  if (print_objects(flags, jobs)) return 0;
  if (jobs.empty()) {
    fmt::print(stderr, "no jobs{}; `trainyard submit -f FILE` makes one\n",
               ns.empty() ? "" : " in namespace " + ns);
    return 0;
  }
  const WallTime now = session->clock().wall();
  std::vector<std::vector<std::string>> rows;
  for (const ObjectPtr& job : jobs) {
    const Json& body = job->body();
    rows.push_back({std::string(name_of(body)), std::string(namespace_of(body)),
                    std::string(string_at(body, "kind")),
                    std::string(string_at(body, "status.phase", "Pending")), replica_summary(body),
                    age_of(body, now)});
  }
  fmt::print("{}", format_table({"NAME", "NAMESPACE", "KIND", "PHASE", "REPLICAS", "AGE"}, rows));
  return 0;
}

Result<int> get(const Flags& flags, const std::string& name) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  const Key key{session->ns(), name};
  TRY(const ObjectPtr job, session->run(find_job(session->api(), key)));
  if (print_object(flags, job)) return 0;
  const Json& body = job->body();
  fmt::print("Name:       {}\nNamespace:  {}\nKind:       {}\nPhase:      {}\nAge:        {}\n",
             name_of(body), namespace_of(body), string_at(body, "kind"),
             string_at(body, "status.phase", "Pending"), age_of(body, session->clock().wall()));
  TRY(const std::vector<ObjectPtr> pods, session->run(list_pods_of(session->api(), key)));
  std::string reason = explanation(body);
  if (reason.empty()) reason = waiting_reason(pods);
  if (!reason.empty()) fmt::print("Reason:     {}\n", reason);
  print_section("Replicas", {"NAME", "PHASE", "EXIT CODE", "RESTARTS"}, replica_rows(body));
  print_section("Conditions", {"TYPE", "STATUS", "SINCE", "MESSAGE"}, condition_rows(body));
  TRY(const std::vector<ObjectPtr> events,
      session->run(events_of(session->api(), key, std::string(uid_of(body)))));
  std::vector<std::vector<std::string>> rows;
  for (const ObjectPtr& event : events) {
    rows.push_back({std::string(string_at(event->body(), "lastTimestamp")),
                    std::string(string_at(event->body(), "type")),
                    std::string(string_at(event->body(), "reason")),
                    std::string(string_at(event->body(), "message"))});
  }
  print_section("Events", {"TIME", "TYPE", "REASON", "MESSAGE"}, rows);
  return 0;
}

Result<int> remove(const Flags& flags, const std::vector<std::string>& names) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  for (const std::string& name : names) {
    const Key key{session->ns(), name};
    TRY(const ObjectPtr job, session->run(find_job(session->api(), key)));
    TRY_OK(session->run(
        session->api().remove(resource_of(job->body()), key, client::DeleteOptions())));
    fmt::print("job {} deleted\n", name);
  }
  return 0;
}

}  // namespace trainyard::cli
