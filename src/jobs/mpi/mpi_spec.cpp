#include "jobs/mpi/mpi_spec.h"

#include "jobs/mpi/meeting.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::jobs {
namespace {

Json* find_spec(JsonArray& specs, std::string_view type) {
  for (Json& spec : specs) {
    if (string_at(spec, "type") == type) return &spec;
  }
  return nullptr;
}

/// spec.worker, mca and mpiHome are the older names of replicaSpecs and mpiConfig.
void rename_older_fields(Json& job) {
  JsonObject& spec = job.at("spec").get_object();
  JsonObject config = object_at(job, "spec.mpiConfig");
  const auto take = [&](const char* older, const char* newer) {
    if (const Json* value = find(job, older); value != nullptr && !config.contains(newer)) {
      config[newer] = *value;
    }
  };
  take("spec.mca", "mca");
  take("spec.mpiHome", "home");
  take("spec.worker.extraMPIArgs", "extraArgs");
  take("spec.worker.cmd", "script");
  if (const Json* worker = find(job, "spec.worker"); worker != nullptr && worker->is_object()) {
    Json newest{{"type", "worker"}};
    for (const char* field : {"replicas", "template"}) {
      if (const Json* value = find(*worker, field)) newest.get_object()[field] = *value;
    }
    spec["replicaSpecs"] = JsonArray{std::move(newest)};
  }
  for (const char* older : {"worker", "mca", "mpiHome"}) spec.erase(older);
  spec["mpiConfig"] = std::move(config);
}

/// The worker's container by either of its names, else the first; null: there is none.
const Json* worker_container(const Json& spec) {
  const JsonArray& containers = array_at(spec, "template.spec.containers");
  for (const Json& container : containers) {
    const std::string_view name = string_at(container, "name");
    if (name == "worker" || name == "mpi-worker") return &container;
  }
  return containers.empty() ? nullptr : &containers.front();
}

/// What a launcher needs is little: it waits for mpirun, which waits for the workers.
Json make_launcher_container(const Json& worker) {
  Json container{{"name", "launcher"},
                 {"resources",
                  {{"requests", {{"cpu", "100m"}, {"memory", "100Mi"}}},
                   {"limits", {{"cpu", "200m"}, {"memory", "200Mi"}}}}}};
  for (const char* field : {"image", "imagePullPolicy"}) {
    if (const Json* value = find(worker, field)) container.get_object()[field] = *value;
  }
  return container;
}

void complete_launcher(Json& launcher, const Json& worker_spec) {
  JsonArray containers = array_at(launcher, "template.spec.containers");
  const bool there = std::any_of(containers.begin(), containers.end(), [](const Json& one) {
    return string_at(one, "name") == "launcher";
  });
  if (there) return;
  const Json* worker = worker_container(worker_spec);
  containers.insert(containers.begin(),
                    make_launcher_container(worker == nullptr ? Json(JsonObject()) : *worker));
  make_path(launcher, "template.spec.containers") = std::move(containers);
  const Json* secrets = find(worker_spec, "template.spec.imagePullSecrets");
  if (secrets != nullptr && find(launcher, "template.spec.imagePullSecrets") == nullptr) {
    make_path(launcher, "template.spec.imagePullSecrets") = *secrets;
  }
}

std::vector<std::string> words_at(const Json& object, const char* path) {
  std::vector<std::string> words;
  for (const Json& word : array_at(object, path)) {
    if (word.is_string()) words.emplace_back(word.get_string());
  }
  return words;
}

bool has_any(const std::vector<std::string>& words, std::initializer_list<const char*> wanted) {
  return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) !=
         words.end();
}

/// Whether the user passes the variable on, too: mpirun refuses to hear of one twice.
bool passes_on(const std::vector<std::string>& extra_args, const std::string& variable) {
  for (std::size_t i = 1; i < extra_args.size(); ++i) {
    const bool after_x = extra_args[i - 1] == "-x" || extra_args[i - 1] == "--x";
    if (after_x && (extra_args[i] == variable || extra_args[i].starts_with(variable + "="))) {
      return true;
    }
  }
  return false;
}

}  // namespace

Json in_newest_shape(const Json& job) {
  Json newest = job;
  make_path(newest, "spec");
  rename_older_fields(newest);
  JsonArray written = array_at(newest, "spec.replicaSpecs");
  Json* worker = find_spec(written, "worker");
  Json* launcher = find_spec(written, "launcher");
  Json none{{"type", "worker"}};
  Json made{{"type", "launcher"}};
  if (worker == nullptr) worker = &none;
  if (launcher == nullptr) launcher = &made;
  launcher->get_object()["replicas"] = 1;
  complete_launcher(*launcher, *worker);
  newest.at("spec").get_object()["replicaSpecs"] = JsonArray{*launcher, *worker};
  return newest;
}

std::vector<std::string> plain_variables(const Json& container) {
  std::vector<std::string> names;
  for (const Json& variable : array_at(container, "env")) {
    const std::string name(string_at(variable, "name"));
    const bool own = name.starts_with("OMPI_") || name.starts_with("PMIX_");
    if (find(variable, "valueFrom") != nullptr || own || name.empty()) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

MpiRun read_mpi_run(const Json& job) {
  MpiRun run;
  run.home = string_at(job, "spec.mpiConfig.home");
  while (run.home.size() > 1 && run.home.ends_with('/')) run.home.pop_back();
  for (const auto& [name, value] : object_at(job, "spec.mpiConfig.mca")) {
    if (value.is_string()) run.parameters.emplace_back(name, value.get_string());
  }
  run.extra_args = words_at(job, "spec.mpiConfig.extraArgs");
  run.script = words_at(job, "spec.mpiConfig.script");
  run.slots = slots_in(run.extra_args);
  for (const Json& spec : array_at(job, "spec.replicaSpecs")) {
    if (string_at(spec, "type") != "worker") continue;
    run.workers = int_at(spec, "replicas", 1);
    const Json* container = worker_container(spec);
    if (container == nullptr) continue;
    run.variables = plain_variables(*container);
    run.work_dir = string_at(*container, "workingDir");
  }
  return run;
}

std::int64_t slots_in(const std::vector<std::string>& extra_args) {
  for (std::size_t i = 0; i + 1 < extra_args.size(); ++i) {
    const std::string& word = extra_args[i];
    if (word != "-N" && word != "--N" && word != "-npernode" && word != "--npernode") continue;
    const std::string& text = extra_args[i + 1];
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed == std::errc() && end == text.data() + text.size() && number > 0) return number;
  }
  return 1;
}

std::vector<std::string> mpirun_arguments(const MpiRun& run) {
  std::vector<std::string> words{"--hostfile", fmt::format("{}/hostfile", kMpiFolder)};
  for (const auto& [name, value] : run.parameters) {
    words.insert(words.end(), {"-mca", name, value});
  }
  for (const std::string& variable : run.variables) {
    if (!passes_on(run.extra_args, variable)) words.insert(words.end(), {"-x", variable});
  }
  if (!run.work_dir.empty() && !has_any(run.extra_args, {"-wdir", "--wdir", "-wd", "--wd"})) {
    words.insert(words.end(), {"-wdir", run.work_dir});
  }
  words.insert(words.end(), run.extra_args.begin(), run.extra_args.end());
  words.insert(words.end(), run.script.begin(), run.script.end());
  return words;
}

}  // namespace trainyard::jobs
