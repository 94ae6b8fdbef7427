#include "contract/log_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace trainyard::contract {
namespace {

constexpr std::string_view kVolumeScheme = "t9k://pvc/";

std::string_view text_of(const Json& value) {
  return value.is_string() ? std::string_view(value.get_string()) : std::string_view();
}

/// ./log/ and /log are log.
std::string tidy(std::string_view folder) {
  std::string tidied;
  while (!folder.empty()) {
    const std::string_view step = folder.substr(0, folder.find('/'));
    folder.remove_prefix(std::min(folder.size(), step.size() + 1));
    if (step.empty() || step == ".") continue;
    if (!tidied.empty()) tidied += '/';
    tidied += step;
  }
  return tidied;
}

/// The folder that a path of a program is, when a claim is mounted there. The deepest mount counts.
std::optional<LogFolderSource> on_claim(const Json& pod, const Json& container, std::string path) {
  if (!path.starts_with('/')) path = fmt::format("{}/{}", string_at(container, "workingDir"), path);
  path = tidy(path);
  std::optional<LogFolderSource> found;
  std::size_t deepest = 0;
  for (const Json& mount : array_at(container, "volumeMounts")) {
    const std::string where = tidy(string_at(mount, "mountPath"));
    const bool below = path == where || path.starts_with(where + "/") || where.empty();
    if (!below || (found && where.size() < deepest)) continue;
    deepest = where.size();
    found.reset();  // what is mounted deeper hides the claim, whatever it is
    for (const Json& volume : array_at(pod, "volumes")) {
      const std::string_view claim = string_at(volume, "persistentVolumeClaim.claimName");
      if (claim.empty() || string_at(volume, "name") != string_at(mount, "name")) continue;
      const std::string inside = fmt::format("{}/{}", string_at(mount, "subPath"),
                                             std::string_view(path).substr(where.size()));
      found = LogFolderSource{std::string(claim), tidy(inside)};
    }
  }
  if (found && found->folder.find("..") != std::string::npos) return std::nullopt;
  return found;
}

/// Of a command and its arguments, also those inside a shell's script.
std::vector<std::string> words_of(const Json& container) {
  std::vector<std::string> words;
  for (const char* list : {"command", "args"}) {
    for (const Json& argument : array_at(container, list)) {
      std::string word;
      for (const char letter : std::string(text_of(argument)) + " ") {
        const bool between = std::string_view(" \t\n;&|\"'").find(letter) != std::string_view::npos;
        if (!between) word += letter;
        if (between && !word.empty()) words.push_back(std::exchange(word, ""));
      }
    }
  }
  return words;
}

/// What --logdir, --log-dir, --log_dir and the like are given.
std::vector<std::string> log_flags(const std::vector<std::string>& words) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with("--")) continue;
    const std::size_t equals = word.find('=');
    std::string name;
    for (const char letter : word.substr(2, equals == word.npos ? word.npos : equals - 2)) {
      if (letter != '-' && letter != '_') name += letter;
    }
    const bool known = name == "logdir" || name == "tensorboarddir" ||
                       name == "tensorboardlogdir" || name == "loggingdir" || name == "summarydir";
    if (!known) continue;
    if (equals != word.npos) {
      values.emplace_back(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
      values.push_back(words[i + 1]);
    }
  }
  return values;
}

/// Calls each(pod spec) for the templates in a job's spec, whatever its kind calls its replicas.
void each_template(const Json& value, int depth, const std::function<void(const Json&)>& each) {
  if (depth > 4) return;
  if (value.is_array()) {
    for (const Json& inner : value.get_array()) each_template(inner, depth + 1, each);
  }
  if (!value.is_object()) return;
  for (const auto& [name, inner] : value.get_object()) {
    if (name == "template" && find(inner, "spec.containers") != nullptr) {
      each(*find(inner, "spec"));
    } else {
      each_template(inner, depth + 1, each);
    }
  }
}

void add_once(std::vector<LogFolderSource>& sources, LogFolderSource source) {
  if (source.claim.empty()) return;
  if (std::find(sources.begin(), sources.end(), source) != sources.end()) return;
  sources.push_back(std::move(source));
}

std::vector<LogFolderSource> read_annotation(std::string_view text) {
  std::vector<LogFolderSource> sources;
  while (!text.empty()) {
    const std::string place = tidy(text.substr(0, text.find(',')));
    text.remove_prefix(
        std::min(text.size(), text.find(',') == text.npos ? text.size() : text.find(',') + 1));
    const std::size_t slash = std::min(place.find('/'), place.size());
    add_once(sources, {place.substr(0, slash), tidy(std::string_view(place).substr(slash))});
  }
  return sources;
}

}  // namespace

std::vector<LogFolderSource> read_log_sources(const Json& spec) {
  std::vector<LogFolderSource> sources;
  const auto add = [&](std::string_view claim, std::string_view folder) {
    sources.push_back({std::string(claim), tidy(folder)});
  };
  for (const Json& claim : array_at(spec, "logDir.pvc")) {
    const std::string_view name = string_at(claim, "name");
    const std::size_t before = sources.size();
    for (const char* spelling : {"subPath", "subpath"}) {
      for (const Json& folder : array_at(claim, spelling)) add(name, text_of(folder));
    }
    if (sources.size() == before) add(name, "");
  }
  for (const Json& fileset : array_at(spec, "trainingLogFilesets")) {
    std::string_view text = text_of(fileset);
    if (!text.starts_with(kVolumeScheme)) continue;
    text.remove_prefix(kVolumeScheme.size());
    const std::string_view claim = text.substr(0, text.find('/'));
    add(claim, text.substr(claim.size()));
  }
  return sources;
}

std::vector<std::string> read_remote_log_sources(const Json& spec) {
  std::vector<std::string> remote;
  for (const char* list : {"logDir.s3.uri", "logDir.http.url"}) {
    for (const Json& address : array_at(spec, list)) remote.emplace_back(text_of(address));
  }
  for (const Json& fileset : array_at(spec, "trainingLogFilesets")) {
    if (!text_of(fileset).starts_with(kVolumeScheme)) remote.emplace_back(text_of(fileset));
  }
  return remote;
}

bool may_have_logs(const Resource& resource) {
  if (resource.group == "batch") return resource.plural == "jobs";
  if (resource.group == "tensorstack.dev") return resource.plural == "tensorboards";
  const bool jobs = resource.group == "batch.tensorstack.dev" || resource.group == "kubeflow.org";
  return jobs && resource.plural.ends_with("jobs");
}

LogPlaces find_log_places(const Json& object) {
  LogPlaces places;
  const Json* spec = find(object, "spec");
  if (spec == nullptr) return places;
  const bool is_tensorboard = string_at(object, "kind") == "TensorBoard";
  const Json* said = is_tensorboard ? spec : find(*spec, "tensorboardSpec");
  if (said != nullptr) {
    for (LogFolderSource& source : read_log_sources(*said)) {
      add_once(places.folders, std::move(source));
    }
    places.remote = read_remote_log_sources(*said);
    return places;
  }
  const JsonObject& annotations = object_at(object, "metadata.annotations");
  if (const auto noted = annotations.find(kLogFolderAnnotation); noted != annotations.end()) {
    places.folders = read_annotation(text_of(noted->value()));
    return places;
  }
  each_template(*spec, 0, [&](const Json& pod) {
    for (const Json& container : array_at(pod, "containers")) {
      for (std::string& path : log_flags(words_of(container))) {
        if (auto source = on_claim(pod, container, std::move(path))) {
          add_once(places.folders, *std::move(source));
        }
      }
    }
  });
  return places;
}

}  // namespace trainyard::contract
