#include "base/crypto/ids.h"
#include "cli/arena/submit/record.h"
#include "cli/arena/submit/submission.h"
#include "object/json/utf8.h"

#include <fmt/format.h>

/// All objects of a job, and the record that names them.
namespace trainyard::cli::arena {
namespace {

/// https://USER:PASSWORD@host/… without who it is.
std::string without_login(const std::string& source) {
  const std::size_t scheme = source.find("://");
  if (scheme == std::string::npos) return source;
  const std::size_t slash = source.find('/', scheme + 3);
  const std::size_t at = source.rfind('@', slash);
  if (at == std::string::npos || at < scheme) return source;
  return source.substr(0, scheme + 3) + source.substr(at + 1);
}

Json to_json(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

/// What was asked for, for people who want to know it later.
Json record_values(const Submission& s) {
  const SubmitOptions& o = s.options();
  JsonObject env;
  for (const auto& [name, value] : s.settings.env) {
    if (!is_credential(name)) env[name] = value;
  }
  JsonObject values{{"name", o.name},
                    {"image", o.image},
                    {"workers", o.workers},
                    {"gpus", o.gpus},
                    {"workingDir", o.working_dir},
                    {"shell", o.shell},
                    {"command", o.command},
                    {"cleanTaskPolicy", o.clean_policy},
                    {"imagePullPolicy", o.pull_policy},
                    {"tensorboard", o.tensorboard},
                    {"env", std::move(env)}};
  const std::pair<const char*, const std::string*> texts[] = {
      {"workerImage", &o.worker.image}, {"cpu", &o.cpu},           {"memory", &o.memory},
      {"shareMemory", &o.share_memory}, {"priority", &o.priority}, {"scheduler", &o.scheduler},
      {"syncMode", &o.sync_mode}};
  for (const auto& [key, text] : texts) {
    if (!text->empty()) values[key] = *text;
  }
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"data", &o.data},
      {"dataDirs", &o.data_dirs},
      {"devices", &o.devices},
      {"selectors", &o.selectors},
      {"tolerations", &o.tolerations},
      {"configFiles", &o.config_files}};
  for (const auto& [key, list] : lists) {
    if (!list->empty()) values[key] = to_json(*list);
  }
  if (s.settings.sync != SyncMode::kNone) values["syncSource"] = without_login(o.sync_source);
  if (o.tensorboard) values["logDir"] = o.logdir;
  if (o.ps_count > 0) values["ps"] = o.ps_count;
  return values;
}

Json make_config_folder(const Submission& s, const ConfigFolder& config) {
  JsonObject text;
  JsonObject bytes;
  for (const auto& [name, content] : config.files) {
    if (is_utf8(content)) {
      text[name] = content;
    } else {
      bytes[name] = base64_encode(content);
    }
  }
  JsonObject metadata{{"name", fmt::format("{}-{}", s.options().name, config.hash)},
                      {"labels", {{"createdBy", "arena"}, {"release", s.options().name}}}};
  if (!s.ns.empty()) metadata["namespace"] = s.ns;
  JsonObject map{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", std::move(metadata)}};
  if (!text.empty()) map["data"] = std::move(text);
  if (!bytes.empty()) map["binaryData"] = std::move(bytes);
  return map;
}

Json make_the_job(const Submission& s) {
  if (s.type.name == "tfjob") return make_tensorflow_job(s);
  if (s.type.name == "mpijob") return make_mpi_job(s);
  return make_pytorch_job(s);
}

}  // namespace

std::vector<Json> make_objects(const Submission& s) {
  std::vector<Json> objects;
  for (const ConfigFolder& config : s.settings.configs) {
    objects.push_back(make_config_folder(s, config));
  }
  if (s.options().tensorboard) {
    for (Json& object : make_tensorboard(s)) objects.push_back(std::move(object));
  }
  objects.push_back(make_the_job(s));
  objects.insert(objects.begin(),
                 make_record(s.options().name, s.type, s.ns, objects, record_values(s)));
  return objects;
}

}  // namespace trainyard::cli::arena
