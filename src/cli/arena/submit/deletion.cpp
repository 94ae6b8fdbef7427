#include "cli/arena/submit/deletion.h"

#include "cli/arena/commands.h"
#include "cli/arena/installed.h"
#include "cli/arena/submit/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard::cli::arena {
namespace {

Result<> remove(Context& context, const RecordedObject& object, const std::string& ns, Tell tell) {
  TRY(Session* const session, context.session());
  const auto removed =
      session->run(session->api().remove(object.resource, Key{ns, object.name}, {}));
  if (removed.failed_with(Code::kNotFound)) return Ok();
  if (!removed) return removed.error();
  if (tell == Tell::kEachObject) fmt::print("{} \"{}\" deleted\n", object.kind, object.name);
  return Ok();
}

/// What there is of a job.
struct JobTrace {
  TrainingType type;
  ObjectPtr job;
  ObjectPtr record;
};

/// Nothing where there is no such object, or no such kind.
Result<ObjectPtr> find_object(Context& context, const Resource& resource, const Key& key) {
  TRY(Session* const session, context.session());
  auto found = session->run(session->api().get(resource, key));
  if (!found && is_not_installed(*session, resource, found.error())) return ObjectPtr();
  return found;
}

Result<std::vector<JobTrace>> find_traces(Context& context, const Key& job,
                                          const std::string& word) {
  TRY(const std::vector<TrainingType> types, types_meant(word));
  std::vector<JobTrace> traces;
  for (const TrainingType& type : types) {
    JobTrace trace;
    trace.type = type;
    TRY(trace.record, find_object(context, kConfigMaps, Key{job.ns, record_name(job.name, type)}));
    TRY(trace.job, find_object(context, type.resource, job));
    // Without a record it is not one of Arena's: only who says the type means it.
    if (trace.record || (trace.job && !word.empty())) traces.push_back(std::move(trace));
  }
  return traces;
}

struct DeleteOptions {
  std::string type;
};

Result<int> delete_all(Context& context, const std::vector<std::string>& names,
                       const std::string& type) {
  TRY_OK(types_meant(type));  // a wrong one is no job's fault
  TRY(const Visibility visibility, context.visibility(false));
  int code = 0;
  for (const std::string& name : names) {
    const auto deleted = delete_job(context, visibility, Key{context.ns(), name}, type);
    if (deleted) {
      context.log().info(fmt::format("The Job {} has been deleted successfully", name));
    } else {
      context.log().error(
          fmt::format("Failed to delete {}, the reason is: {}", name, deleted.error().message()));
      code = 2;
    }
  }
  return code;
}

}  // namespace

Result<> delete_recorded(Context& context, const Json& record, Tell tell) {
  TRY(const std::vector<RecordedObject> objects, read_record(record));
  const std::string ns(namespace_of(record));
  for (const RecordedObject& object : objects) TRY_OK(remove(context, object, ns, tell));
  // It belongs to the job, and may have gone with it just now: that is as good.
  const std::string name(name_of(record));
  TRY_OK(remove(context, {kConfigMaps, "configmap", name}, ns, Tell::kNothing));
  if (tell == Tell::kEachObject) fmt::print("configmap \"{}\" deleted\n", name);
  return Ok();
}

Result<> delete_job(Context& context, const Visibility& visibility, const Key& job,
                    const std::string& type) {
  TRY(const std::vector<JobTrace> traces, find_traces(context, job, type));
  if (traces.empty()) {
    return Error(
        Code::kNotFound,
        fmt::format("there is no such job in namespace {}: `arena list` shows all", context.ns()));
  }
  if (traces.size() > 1) {
    std::vector<std::string> types;
    for (const JobTrace& trace : traces) types.push_back(trace.type.name);
    return Error(Code::kInvalid, fmt::format("there are jobs of the types {} with this name: say "
                                             "which with --type",
                                             fmt::join(types, " and ")));
  }
  const JobTrace& trace = traces.front();
  if (trace.job && !visibility.sees(trace.job->body())) return not_yours(job.name);
  if (trace.record) return delete_recorded(context, trace.record->body(), Tell::kEachObject);
  const std::string kind = fmt::format("{}.{}", trace.type.name, trace.type.resource.group);
  return remove(context, {trace.type.resource, kind, job.name}, job.ns, Tell::kEachObject);
}

void add_delete_command(Command& root) {
  const auto options = std::make_shared<DeleteOptions>();
  Command& command = root.add("delete", "Delete jobs with all that belongs to them.");
  command.aliases = {"del"};
  command.usage = "JOB…";
  command.least_words = 1;
  command.most_words = Command::kAnyNumber;
  command.missing = "say which jobs to delete: arena delete JOB…";
  command.offer = Offer::kJob;
  command.flags.text("type", 'T', options->type, "TYPE", "of the jobs: tfjob, mpijob or pytorchjob")
      .offering(Offer::kType);
  command.example = "arena delete mnist\narena delete -T pytorchjob mnist cifar";
  command.notes =
      "All names are tried; the exit code is 2 when one of them could not be deleted. Volumes "
      "stay.";
  command.run = [options](Context& context, const Command::Words& words) {
    return delete_all(context, words, options->type);
  };
}

}  // namespace trainyard::cli::arena
