#include "cli/arena/submit/creation.h"

#include "cli/arena/installed.h"
#include "cli/arena/submit/deletion.h"
#include "cli/arena/submit/record.h"

#include <fmt/format.h>

namespace trainyard::cli::arena {
namespace {

/// A record this young may be of a submission that is under way.
constexpr std::chrono::seconds kFresh{10};

Error job_exists(const std::string& name) {
  return Error(
      Code::kAlreadyExists,
      fmt::format("the job {} exists already: delete it first with `arena delete {}`", name, name));
}

/// Kubeflow has two operators with MPIJobs: the training operator's (v1) are not the MPI
/// operator's.
Error not_installed(Session& session, const TrainingType& type) {
  const std::string other = other_version(session, type.resource);
  return Error(Code::kNotFound,
               fmt::format("the server has no {} ({}){}: its operator must be installed first",
                           type.kind, type.resource.api_version(),
                           other.empty() ? "" : fmt::format(", only one of {}", other)));
}

Result<Resource> resource_for(const Json& object) {
  TRY(const std::vector<RecordedObject> one,
      read_record(Json{{"data", {{"app", object_word(object)}}}}));
  return one.front().resource;
}

/// The record of a job that is gone is in nobody's way.
Result<> clear_stale_record(Context& context, const Key& record) {
  TRY(Session* const session, context.session());
  const auto old = session->run(session->api().get(kConfigMaps, record));
  if (old.failed_with(Code::kNotFound)) return Ok();
  if (!old) return old.error();
  const auto born = parse_time(string_at((*old)->body(), "metadata.creationTimestamp"));
  if (born && session->clock().wall() - *born < kFresh) {
    return Error(Code::kAlreadyExists,
                 fmt::format("the record {} has just been made: is the same job being submitted "
                             "elsewhere? Try again in a moment",
                             record.name));
  }
  context.log().warn(fmt::format("removing the record {}, whose job is gone", record.name));
  return delete_recorded(context, (*old)->body(), Tell::kNothing);
}

Result<ObjectPtr> create(Context& context, const Json& object) {
  TRY(Session* const session, context.session());
  TRY(const Resource resource, resource_for(object));
  return session->run(session->api().create(resource, context.ns(), object));
}

/// All go when the job goes, whoever deletes it.
void give_owner(Context& context, const std::vector<Json>& objects, const Json& job) {
  const auto session = context.session();
  const Json patch{{"metadata",
                    {{"ownerReferences", JsonArray{{{"apiVersion", string_at(job, "apiVersion")},
                                                    {"kind", string_at(job, "kind")},
                                                    {"name", name_of(job)},
                                                    {"uid", uid_of(job)}}}}}}};
  for (const Json& object : objects) {
    const auto resource = resource_for(object);
    const Key key{context.ns(), std::string(name_of(object))};
    const auto patched = (*session)->run(
        (*session)->api().patch(*resource, key, client::PatchType::kMerge, patch, ""));
    if (patched) continue;
    context.log().warn(fmt::format("{} will not be removed along with the job: {}",
                                   object_word(object), patched.error().message()));
  }
}

void remove_again(Context& context, const std::vector<Json>& created) {
  const auto session = context.session();
  std::string left;
  for (auto object = created.rbegin(); object != created.rend(); ++object) {
    const auto resource = resource_for(*object);
    const Key key{context.ns(), std::string(name_of(*object))};
    const auto removed = (*session)->run((*session)->api().remove(*resource, key, {}));
    if (!removed && !removed.failed_with(Code::kNotFound)) left += " " + object_word(*object);
  }
  if (created.empty()) return;
  context.log().warn(left.empty()
                         ? "what had been created was removed again"
                         : fmt::format("please clean up what is left of it: kubectl delete -n {}{}",
                                       context.ns(), left));
}

}  // namespace

Result<> check_can_be_created(Context& context, const TrainingType& type, const std::string& name) {
  TRY(Session* const session, context.session());
  TRY(const Visibility visibility, context.visibility(false));
  client::ListOptions options;
  options.ns = context.ns();
  options.fields = "metadata.name=" + name;
  const auto found = session->run(session->api().list(type.resource, options));
  if (!found && is_not_installed(*session, type.resource, found.error())) {
    return not_installed(*session, type);
  }
  if (!found) return found.error();
  if (found->items.empty()) return Ok();
  return visibility.sees(found->items.front()->body()) ? job_exists(name) : not_yours(name);
}

Result<> create_objects(Context& context, const TrainingType& type,
                        const std::vector<Json>& objects) {
  const std::string name(name_of(objects.back()));
  std::vector<Json> created;
  ObjectPtr job;
  for (const Json& object : objects) {
    const bool is_record = &object == &objects.front();
    auto made = create(context, object);
    if (is_record && made.failed_with(Code::kAlreadyExists)) {
      TRY_OK(clear_stale_record(context, Key{context.ns(), record_name(name, type)}));
      made = create(context, object);
    }
    if (!made) {
      remove_again(context, created);
      if (made.failed_with(Code::kAlreadyExists) && &object == &objects.back()) {
        return job_exists(name);
      }
      return std::move(made).error();
    }
    fmt::print("{} created\n", object_word(object));
    if (is_record) fmt::print("{} labeled\n", object_word(object));
    job = *made;
    created.push_back(object);
  }
  created.pop_back();
  give_owner(context, created, job->body());
  return Ok();
}

}  // namespace trainyard::cli::arena
