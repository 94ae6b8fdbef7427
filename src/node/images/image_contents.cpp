#include "node/images/image_contents.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"

#include <sstream>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

/// Paths of an environment, which may be another root's.
class Tree {
 public:
  explicit Tree(std::string root) : root_(std::move(root)) {}

  fs::path on_disk(const fs::path& path) const {
    return root_.empty() ? path : fs::path(root_) / path.relative_path();
  }
  bool has(const fs::path& path) const {
    std::error_code failed;
    return fs::exists(on_disk(path), failed);
  }
  bool runs(const fs::path& path) const { return ::access(on_disk(path).c_str(), X_OK) == 0; }
  std::vector<std::string> names_in(const fs::path& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : FolderEntries(on_disk(folder))) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::string root_;
};

std::string find_on(const Tree& tree, const std::string& path, const char* program) {
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / program;
    if (!folder.empty() && tree.runs(file)) return file.string();
  }
  return {};
}

struct Venv {
  bool is_one = false;
  bool sees_system = false;
  fs::path base;  // the prefix that it was made from
};

Venv read_venv(const Tree& tree, const fs::path& prefix) {
  Venv venv;
  auto text = read_file(tree.on_disk(prefix / "pyvenv.cfg"));
  venv.is_one = static_cast<bool>(text);
  std::istringstream lines(std::move(text).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("include-system-site-packages")) {
      venv.sees_system = line.find("true") != std::string::npos;
    } else if (line.starts_with("home")) {
      const std::size_t value = line.find_first_not_of(" =", 4);
      if (value != std::string::npos) venv.base = fs::path(line.substr(value)).parent_path();
    }
  }
  return venv;
}

/// Where a Python of that prefix looks for packages, also those of Debian.
void add_packages_of(const Tree& tree, const fs::path& prefix, std::vector<fs::path>& folders) {
  const auto add = [&](const fs::path& lib) {
    for (const std::string& name : tree.names_in(lib)) {
      if (!name.starts_with("python3")) continue;
      for (const char* kind : {"site-packages", "dist-packages"}) {
        if (tree.has(lib / name / kind)) folders.push_back(lib / name / kind);
      }
    }
  };
  add(prefix / "lib");
  if (prefix == "/usr") add("/usr/local/lib");
}

std::vector<fs::path> package_folders(const Tree& tree, const ImageEnvironment& environment,
                                      const fs::path& python, bool& in_venv) {
  std::vector<fs::path> folders;
  const fs::path prefix = python.parent_path().parent_path();
  const Venv venv = read_venv(tree, prefix);
  in_venv = venv.is_one;
  add_packages_of(tree, prefix, folders);
  if (venv.is_one && !venv.sees_system) return folders;
  if (venv.is_one) {
    add_packages_of(tree, venv.base, folders);
  } else {
    std::error_code failed;
    const fs::path real = fs::canonical(tree.on_disk(python), failed).parent_path().parent_path();
    if (!failed && environment.root_tree.empty() && real != prefix) {
      add_packages_of(tree, real, folders);
    }
  }
  add_packages_of(tree, fs::path(environment.home) / ".local", folders);
  return folders;
}

bool has_package(const Tree& tree, const std::vector<fs::path>& folders, const std::string& name) {
  for (const fs::path& folder : folders) {
    if (name != "horovod") {
      if (tree.has(folder / name)) return true;
      continue;
    }
    // Installed without what it was to be built for, it is there and of no use.
    for (const std::string& file : tree.names_in(folder / "horovod/torch")) {
      if (file.starts_with("mpi_lib") && file.ends_with(".so")) return true;
    }
  }
  return false;
}

}  // namespace

ImageContents look_into(const ImageEnvironment& environment) {
  const Tree tree(environment.root_tree);
  std::string path;
  for (const auto& [name, value] : environment.variables) {
    if (name == "PATH") path = value;
  }
  ImageContents contents;
  for (const char* name : {"python", "python3"}) {
    if (contents.python.empty()) contents.python = find_on(tree, path, name);
  }
  if (contents.python.empty()) {
    contents.known = true;
  } else {
    const auto folders = package_folders(tree, environment, contents.python, contents.in_venv);
    contents.known = !folders.empty();
    for (const char* name : {"torch", "tensorflow", "xgboost", "horovod"}) {
      if (has_package(tree, folders, name)) contents.found.emplace_back(name);
    }
  }
  for (const char* name : {"mpirun", "ssh", "sshd"}) {
    if (!find_on(tree, path + ":/usr/sbin:/usr/local/sbin", name).empty()) {
      contents.found.emplace_back(name);
    }
  }
  return contents;
}

Json to_json(const ImageContents& contents) {
  JsonArray found;
  for (const std::string& name : contents.found) found.emplace_back(name);
  return JsonObject{{"python", contents.python},
                    {"venv", contents.in_venv},
                    {"known", contents.known},
                    {"found", std::move(found)}};
}

}  // namespace trainyard::node
