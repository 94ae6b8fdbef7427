#include "cli/start/run_job.h"

#include "cli/start/container_text.h"
#include "object/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace trainyard::cli {
namespace {

constexpr std::size_t kLongestName = 30;
/// What decides which programs and libraries a command finds; all else is the platform's.
constexpr const char* kPassedOn[] = {"PATH",
                                     "VIRTUAL_ENV",
                                     "CONDA_PREFIX",
                                     "PYTHONPATH",
                                     "PYTHONHOME",
                                     "LD_LIBRARY_PATH",
                                     "LANG",
                                     "LC_ALL",
                                     "TZ",
                                     "OMP_NUM_THREADS",
                                     "MKL_NUM_THREADS",
                                     "PET_REDIRECTS",
                                     "PET_TEE"};

bool is_python(const std::string& word) {
  return std::filesystem::path(word).filename().string().starts_with("python");
}

Json words(const std::vector<std::string>& command) {
  JsonArray list;
  for (const std::string& word : command) list.emplace_back(as_it_is(word));
  return list;
}

/// What torchrun starts: the script and its arguments, without the Python in front.
Result<std::vector<std::string>> torchrun_words(std::vector<std::string> command) {
  if (is_python(command.front())) {
    command.erase(command.begin());
    while (!command.empty() && command.front() == "-u") command.erase(command.begin());
  }
  const bool script = !command.empty() && (command.front().ends_with(".py") ||
                                           (command.front() == "-m" && command.size() > 1));
  if (script) return command;
  return Error(Code::kInvalid,
               "--torchrun starts Python scripts: write python SCRIPT.py …, or python -m MODULE …");
}

Result<Json> environment(const RunOptions& options, const Surroundings& here) {
  std::map<std::string, std::string> variables;
  // Lines are seen when they are written, and the processes do not fight for the cores.
  variables["PYTHONUNBUFFERED"] = "1";
  const auto processes = static_cast<unsigned>(std::max<std::int64_t>(1, options.replicas));
  variables["OMP_NUM_THREADS"] = std::to_string(std::max(1U, here.cores / processes));
  for (const char* name : kPassedOn) {
    const auto set = here.environment.find(name);
    if (set != here.environment.end()) variables[name] = set->second;
  }
  for (const std::string& given : options.env) {
    const std::size_t equals = given.find('=');
    const std::string name = given.substr(0, equals);
    const auto set = here.environment.find(name);
    if (name.empty() || (equals == std::string::npos && set == here.environment.end())) {
      return Error(Code::kInvalid, fmt::format("--env {}: write NAME=VALUE, or the name of a "
                                               "variable that is set here",
                                               given));
    }
    variables[name] = equals == std::string::npos ? set->second : given.substr(equals + 1);
  }
  JsonArray list;
  for (const auto& [name, value] : variables) {
    list.push_back({{"name", name}, {"value", as_it_is(value)}});
  }
  return Json(std::move(list));
}

Result<Json> resources(const RunOptions& options) {
  JsonObject amounts;
  const std::pair<const char*, const std::string*> asked[] = {{"cpu", &options.cpu},
                                                              {"memory", &options.memory}};
  for (const auto& [name, amount] : asked) {
    if (amount->empty()) continue;
    const auto parsed = Quantity::parse(*amount);
    if (!parsed || *parsed <= Quantity()) {
      return Error(Code::kInvalid,
                   fmt::format("--{} {}: write an amount such as 500m, 2 or 4Gi", name, *amount));
    }
    amounts[name] = *amount;
  }
  if (options.gpus > 0) amounts["nvidia.com/gpu"] = std::to_string(options.gpus);
  if (amounts.empty()) return Json(JsonObject{});
  return Json{{"requests", amounts}, {"limits", amounts}};
}

Result<Json> pod_spec(const RunOptions& options, const Surroundings& here) {
  if (options.volume.empty() && here.folder == "/") {
    return Error(Code::kInvalid, "the current folder is /: go to the folder of your program first");
  }
  const std::string folder = options.volume.empty() ? here.folder : "/workspace";
  TRY(Json variables, environment(options, here));
  TRY(Json amounts, resources(options));
  Json container{{"name", "main"},
                 {"image", options.image},
                 {"workingDir", folder},
                 {"env", std::move(variables)},
                 {"volumeMounts", {{{"name", "folder"}, {"mountPath", folder}}}}};
  if (!amounts.as_object().empty()) container.as_object()["resources"] = std::move(amounts);
  if (options.torchrun) {
    TRY(const std::vector<std::string> script, torchrun_words(options.command));
    container.as_object()["args"] = words(script);
  } else {
    container.as_object()["command"] = words(options.command);
  }
  Json volume{{"name", "folder"}};
  if (options.volume.empty()) {
    volume.as_object()["hostPath"] = {{"path", here.folder}, {"type", "Directory"}};
  } else {
    volume.as_object()["persistentVolumeClaim"] = {{"claimName", options.volume}};
  }
  return Json{{"containers", {std::move(container)}}, {"volumes", {std::move(volume)}}};
}

}  // namespace

std::string name_for(const std::vector<std::string>& command) {
  std::string source;
  bool module = false;
  for (const std::string& word : command) {
    module = module || word == "-m";
    if (word.starts_with('-')) continue;
    if (source.empty()) source = word;
    if (is_python(word) || word == "sh" || word == "bash") continue;
    source = module ? word.substr(word.rfind('.') + 1) : word;
    break;
  }
  const std::string stem = std::filesystem::path(source).stem().string();
  std::string name;
  for (const char letter : stem) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = byte < 128 && std::isalnum(byte) != 0;
    if (plain) name += static_cast<char>(std::tolower(byte));
    if (!plain && !name.empty() && name.back() != '-') name += '-';
  }
  name = name.substr(0, kLongestName);
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "run" : name;
}

Result<Json> make_run_job(const RunOptions& options, const Surroundings& here) {
  if (options.command.empty()) {
    return Error(Code::kInvalid, "say what to run: trainyard run -n 4 -- python train.py");
  }
  if (options.replicas < 1) {
    return Error(Code::kInvalid, fmt::format("-n {}: at least one process", options.replicas));
  }
  TRY(Json pod, pod_spec(options, here));
  Json metadata(JsonObject{});
  metadata.as_object()[options.name.empty() ? "generateName" : "name"] =
      options.name.empty() ? name_for(options.command) + "-" : options.name;
  // A program that is typed in fails when one of its processes does, and then leaves none running.
  Json job{{"apiVersion", "batch.tensorstack.dev/v1beta1"},
           {"kind", "PyTorchTrainingJob"},
           {"metadata", std::move(metadata)},
           {"spec",
            {{"runPolicy",
              {{"backoffLimit", options.retries},
               {"onReplicaFailure", "StopJob"},
               {"restartScope", "Job"}}},
             {"replicaSpecs",
              {{{"type", options.torchrun ? "node" : "worker"},
                {"replicas", options.torchrun ? 1 : options.replicas},
                {"restartPolicy", options.retries > 0 ? "OnFailure" : "Never"},
                {"template", {{"spec", std::move(pod)}}}}}}}}};
  if (options.torchrun) {
    make_path(job, "spec.torchrunConfig") = {
        {"enabled", true}, {"procPerNode", std::to_string(options.replicas)}, {"maxRestarts", 0}};
  }
  return job;
}

}  // namespace trainyard::cli
