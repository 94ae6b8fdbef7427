#include "cli/images/image_load.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "cli/command/commands.h"
#include "cli/command/run_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

Result<> check_tools() {
  const char* path = std::getenv("PATH");
  std::vector<std::string> missing;
  for (const char* tool : {"skopeo", "umoci"}) {
    if (find_program(tool, path != nullptr ? path : "").empty()) missing.emplace_back(tool);
  }
  if (missing.empty()) return Ok();
  return Error(Code::kUnavailable,
               fmt::format("images are unpacked by skopeo and umoci, which are not there: `apt-get "
                           "install {}` installs what is missing",
                           fmt::join(missing, " ")));
}

Error no_image(const std::string& file) {
  return Error(Code::kInvalid, fmt::format("{} is neither what `docker save` writes nor an OCI "
                                           "archive: `docker save -o FILE IMAGE` makes one",
                                           file));
}

/// A file of the archive.
Result<std::string> read_member(const std::string& file, const char* member) {
  TRY(const ProgramOutput read, capture_program({"tar", "-x", "-O", "-f", file, member}));
  if (read.code != 0) return no_image(file);
  return read.text;
}

Result<> run_tool(const std::vector<std::string>& command, const std::string& file) {
  TRY(const int code, run_program(command));
  if (code == 0) return Ok();
  return Error(Code::kInvalid,
               fmt::format("{} could not unpack {} (exit code {}; why is said above); nothing was "
                           "changed",
                           command.front(), file, code));
}

/// A place for what is made on the way; gone with all in it when this goes.
struct Workplace {
  explicit Workplace(const fs::path& parent) : path(parent / (".load-" + random_hex(6))) {}
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() { (void)remove_folder(path); }
  fs::path path;
};

/// A JSON document that is kept by the hash of its content.
Result<Json> read_blob(const fs::path& layout, std::string_view digest) {
  constexpr std::string_view kHash = "sha256:";
  const bool is_hash =
      digest.starts_with(kHash) && digest.substr(kHash.size()).find('/') == std::string_view::npos;
  if (!is_hash) {
    return Error(Code::kInvalid, fmt::format("the image names a part of it \"{}\"", digest));
  }
  TRY(const std::string text, read_file(layout / "blobs/sha256" / digest.substr(kHash.size())));
  return parse_json(text);
}

/// The image says how it wants to be run in a document beside its layers.
Result<LoadedConfig> read_config(const fs::path& layout) {
  TRY(const std::string text, read_file(layout / "index.json"));
  TRY(const Json index, parse_json(text));
  const JsonArray& manifests = array_at(index, "manifests");
  if (manifests.empty()) return Error(Code::kInvalid, "the archive has no image in it");
  TRY(const Json manifest, read_blob(layout, string_at(manifests.front(), "digest")));
  TRY(const Json image, read_blob(layout, string_at(manifest, "config.digest")));
  return read_image_config(image);
}

Result<LoadedConfig> unpack(const std::string& kind, const fs::path& file, const fs::path& work,
                            const fs::path& target) {
  TRY_OK(make_folders(work, 0700));
  const std::string layout = (work / "layout").string() + ":image";
  TRY_OK(run_tool({"skopeo", "--insecure-policy", "copy", "--quiet", kind + ":" + file.string(),
                   "oci:" + layout},
                  file));
  // The files alone: what it makes of the config it refuses to make of some, and we need it not.
  std::vector<std::string> words{"umoci", "raw", "unpack", "--image", layout};
  if (::geteuid() != 0) words.emplace_back("--rootless");
  words.push_back((work / "rootfs").string());
  TRY_OK(run_tool(words, file));
  TRY(LoadedConfig config, read_config(work / "layout"));
  std::error_code failed;
  fs::rename(work / "rootfs", target, failed);
  if (failed) return io_error("moving into place", target, failed.value());
  return config;
}

/// Words as a shell would take them.
std::string shown(const std::vector<std::string>& words) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
  };
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    text += '\'';
  }
  return text;
}

std::vector<std::string> words_at(const Json& json, std::string_view path) {
  std::vector<std::string> words;
  for (const Json& word : array_at(json, path)) {
    if (word.is_string()) words.emplace_back(word.get_string());
  }
  return words;
}

}  // namespace

LoadedConfig read_image_config(const Json& image) {
  LoadedConfig config;
  for (std::string& variable : words_at(image, "config.Env")) {
    const std::size_t equals = variable.find('=');
    if (equals != std::string::npos && equals > 0) config.variables.push_back(std::move(variable));
  }
  config.run.entrypoint = words_at(image, "config.Entrypoint");
  config.run.command = words_at(image, "config.Cmd");
  config.run.working_dir = string_at(image, "config.WorkingDir");
  if (!config.run.working_dir.empty() && !config.run.working_dir.starts_with('/')) {
    config.run.working_dir.insert(0, "/");
  }
  config.run.user = string_at(image, "config.User");
  return config;
}

std::string describe_image_config(const contract::ImageConfig& config) {
  std::vector<std::string> words = config.entrypoint;
  words.insert(words.end(), config.command.begin(), config.command.end());
  std::string text = shown(words);
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : " ", what, value);
  };
  add("as", config.user);
  add("in", config.working_dir);
  return text;
}

std::string archive_kind(std::string_view names) {
  bool docker = false;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('\n'), names.size());
    std::string_view name = names.substr(0, end);
    names.remove_prefix(std::min(names.size(), end + 1));
    if (name.starts_with("./")) name.remove_prefix(2);
    // Newer versions of docker write an archive that is both.
    if (name == "manifest.json") docker = true;
    if (name == "oci-layout" && !docker) {
      if (names.find("manifest.json") == std::string_view::npos) return "oci-archive";
    }
  }
  return docker ? "docker-archive" : "";
}

std::string archive_name(const std::string& kind, const std::string& index) {
  const auto json = parse_json(index);
  if (!json) return "";
  if (kind == "docker-archive") {
    const auto* images = json->if_array();
    if (images == nullptr || images->empty()) return "";
    const JsonArray& tags = array_at(images->front(), "RepoTags");
    return tags.empty() || !tags.front().is_string() ? "" : std::string(tags.front().get_string());
  }
  for (const Json& manifest : array_at(*json, "manifests")) {
    const Json* notes = find(manifest, "annotations");
    const auto* object = notes == nullptr ? nullptr : notes->if_object();
    const Json* name =
        object == nullptr ? nullptr : object->if_contains("org.opencontainers.image.ref.name");
    if (name != nullptr && name->is_string()) return std::string(name->get_string());
  }
  return "";
}

std::string folder_name(const std::string& image) {
  std::string name;
  for (const char c : image.substr(0, 100)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 128 && (std::isalnum(byte) != 0 || c == '.' || c == '_');
    name += plain && !(name.empty() && c == '.') ? c : '-';
  }
  return name;
}

Result<int> image_load(const Flags& flags, const ImageLoadOptions& options) {
  const fs::path file = from_root(options.file);
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) {
    return Error(Code::kNotFound, fmt::format("{} is no file", file.string()));
  }
  TRY_OK(check_tools());
  // A server must be there to take the map: found out before anything is unpacked.
  TRY_OK(Session::open(flags));
  TRY(const ProgramOutput names, capture_program({"tar", "-t", "-f", file.string()}));
  const std::string kind = archive_kind(names.text);
  if (names.code != 0 || kind.empty()) return no_image(file.string());
  std::string name = options.name;
  if (name.empty()) {
    const char* index = kind == "docker-archive" ? "manifest.json" : "index.json";
    TRY(const std::string text, read_member(file.string(), index));
    name = archive_name(kind, text);
  }
  if (name.empty()) {
    return Error(Code::kInvalid, fmt::format("{} does not say what its image is called: add --name "
                                             "NAME",
                                             file.string()));
  }
  const fs::path images = flags.data_dir / "images";
  const fs::path target = images / fmt::format("{}-{}", folder_name(name), random_hex(3));
  const Workplace work(images);
  TRY(const LoadedConfig config, unpack(kind, file, work.path, target));
  ImageOptions map;
  map.pattern = name;
  map.rootfs = target;
  map.variables = config.variables;
  map.config = config.run;
  if (const auto mapped = image_map(flags, map); !mapped) {
    (void)remove_folder(target);
    return mapped.error();
  }
  if (const std::string runs = describe_image_config(config.run); !runs.empty()) {
    fmt::print("it runs, unless a pod says otherwise: {}\n", runs);
  }
  return 0;
}

}  // namespace trainyard::cli
