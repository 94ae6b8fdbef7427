#include "cli/image_load.h"

#include "base/files.h"
#include "base/ids.h"
#include "cli/commands.h"
#include "cli/run_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// What umoci says of how the image wants to be run.
struct ImageConfig {
  std::vector<std::string> variables;
  std::vector<std::string> command;
};

Result<ImageConfig> read_config(const fs::path& bundle) {
  TRY(const std::string text, read_file(bundle / "config.json"));
  TRY(const Json json, parse_json(text));
  ImageConfig config;
  for (const Json& variable : array_at(json, "process.env")) {
    // A terminal's kind and a home are not the image's to say.
    const std::string text_of(variable.is_string() ? std::string(variable.get_string()) : "");
    const bool ours = text_of.starts_with("TERM=") || text_of.starts_with("HOME=");
    if (!ours && text_of.find('=') != std::string::npos) config.variables.push_back(text_of);
  }
  for (const Json& word : array_at(json, "process.args")) {
    if (word.is_string()) config.command.emplace_back(word.get_string());
  }
  return config;
}

Result<ImageConfig> unpack(const std::string& kind, const fs::path& file, const fs::path& work,
                           const fs::path& target) {
  TRY_OK(make_folders(work, 0700));
  const std::string layout = (work / "layout").string() + ":image";
  TRY_OK(run_tool({"skopeo", "--insecure-policy", "copy", "--quiet", kind + ":" + file.string(),
                   "oci:" + layout},
                  file));
  std::vector<std::string> words{"umoci", "unpack", "--image", layout};
  if (::geteuid() != 0) words.emplace_back("--rootless");
  words.push_back((work / "bundle").string());
  TRY_OK(run_tool(words, file));
  TRY(ImageConfig config, read_config(work / "bundle"));
  std::error_code failed;
  fs::rename(work / "bundle" / "rootfs", target, failed);
  if (failed) return io_error("moving into place", target, failed.value());
  return config;
}

}  // namespace

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
  const fs::path file = fs::absolute(options.file);
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
  TRY(const ImageConfig config, unpack(kind, file, work.path, target));
  ImageOptions map;
  map.pattern = name;
  map.rootfs = target;
  map.variables = config.variables;
  if (const auto mapped = image_map(flags, map); !mapped) {
    (void)remove_folder(target);
    return mapped.error();
  }
  if (!config.command.empty()) {
    fmt::print("its own command is not run by itself; in a job it is\n  command: [{}]\n",
               fmt::join(config.command, ", "));
  }
  return 0;
}

}  // namespace trainyard::cli
