#include "cli/arena/submit/job_file.h"

#include "cli/arena/submit/record.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace trainyard::cli::arena {
namespace {

Error wrong_key(const std::string& key, const char* why) {
  return Error(Code::kInvalid, fmt::format("{}: {}", key, why));
}

/// A number or a switch as it was written, more or less: 3, 0.5, true.
std::optional<std::string> scalar(const Json& value) {
  if (value.is_string()) return to_string(value.get_string());
  if (value.is_number() || value.is_bool()) return to_text(value);
  return std::nullopt;
}

Result<> add_flag(const std::string& name, const Json& value, std::vector<std::string>& words) {
  if (const auto text = scalar(value)) {
    words.push_back(fmt::format("--{}={}", name, *text));
    return Ok();
  }
  if (value.is_array()) {
    for (const Json& one : value.get_array()) {
      const auto text = scalar(one);
      if (!text) return wrong_key(name, "a list of texts is expected");
      words.push_back(fmt::format("--{}={}", name, *text));
    }
    return Ok();
  }
  if (!value.is_object()) return wrong_key(name, "it has no value");
  for (const auto& member : value.get_object()) {
    const auto text = scalar(member.value());
    if (!text) return wrong_key(name, "KEY: VALUE with texts is expected");
    words.push_back(fmt::format("--{}={}={}", name, std::string_view(member.key()), *text));
  }
  return Ok();
}

Result<std::string> read_command(const Json& value) {
  if (const auto text = scalar(value)) return *text;
  if (!value.is_array()) return wrong_key("command", "a text, or a list of words");
  std::string joined;
  for (const Json& one : value.get_array()) {
    const auto text = scalar(one);
    if (!text) return wrong_key("command", "a text, or a list of words");
    joined += joined.empty() ? *text : " " + *text;
  }
  return joined;
}

std::optional<TrainingType> type_of(const Json& object) {
  for (const TrainingType& type : training_types()) {
    if (string_at(object, "kind") == type.kind &&
        string_at(object, "apiVersion") == type.resource.api_version()) {
      return type;
    }
  }
  return std::nullopt;
}

void set_labels(Json& owner, const TrainingType& type, const std::string& name,
                const Caller& caller) {
  Json& labels = make_path(owner, "metadata.labels");
  if (!labels.is_object()) labels = JsonObject();
  labels.get_object()["app"] = type.name;
  labels.get_object()["release"] = name;
  if (!caller.id.empty()) labels.get_object()[kUidLabel] = caller.id;
}

/// The job and its pods, so that they are found.
void label_job(Json& job, const TrainingType& type, const Caller& caller) {
  const std::string name(name_of(job));
  set_labels(job, type, name, caller);
  for (const char* field : {"pytorchReplicaSpecs", "tfReplicaSpecs", "mpiReplicaSpecs"}) {
    Json* replicas = find(job, fmt::format("spec.{}", field));
    if (replicas == nullptr || !replicas->is_object()) continue;
    for (auto& role : replicas->get_object()) {
      set_labels(make_path(role.value(), "template"), type, name, caller);
    }
  }
}

}  // namespace

Result<std::vector<std::string>> words_of_document(const Json& document) {
  if (!document.is_object()) return Error(Code::kInvalid, "KEY: VALUE lines are expected");
  const std::string type(string_at(document, "type"));
  if (type.empty()) {
    return Error(Code::kInvalid, "it has neither a type (pytorch, tfjob, mpi) nor an apiVersion");
  }
  TRY(const std::optional<TrainingType> known, parse_type(type));
  std::vector<std::string> words{known->name};
  std::string command;
  for (const auto& member : document.get_object()) {
    const std::string key(member.key());
    if (key == "type") continue;
    if (key == "command") {
      TRY(command, read_command(member.value()));
    } else {
      TRY_OK(add_flag(key, member.value(), words));
    }
  }
  if (command.empty()) return wrong_key("command", "it is missing: what to run");
  words.emplace_back("--");
  words.push_back(std::move(command));
  return words;
}

Result<JobObjects> complete_objects(std::vector<Json> documents, const Caller& caller) {
  JobObjects made;
  const auto job = std::find_if(documents.begin(), documents.end(),
                                [](const Json& one) { return type_of(one).has_value(); });
  if (job == documents.end()) {
    return Error(Code::kInvalid,
                 "there is no PyTorchJob, TFJob or MPIJob in it: `trainyard submit -f` takes "
                 "anything");
  }
  made.type = *type_of(*job);
  label_job(*job, made.type, caller);
  const std::string name(name_of(*job));
  const std::string record = "configmap/" + record_name(name, made.type);
  std::rotate(job, job + 1, documents.end());  // the job comes last
  std::erase_if(documents, [&](const Json& one) { return object_word(one) == record; });
  for (const Json& one : documents) {
    TRY_OK(read_record(Json{{"data", {{"app", object_word(one)}}}}));  // could it be deleted?
  }
  const Json values{{"name", name}, {"from", "a file"}};
  made.objects = documents;
  made.objects.insert(made.objects.begin(), make_record(name, made.type, "", documents, values));
  return made;
}

}  // namespace trainyard::cli::arena
