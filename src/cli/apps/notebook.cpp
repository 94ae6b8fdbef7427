#include "base/files/folder_entries.h"
#include "cli/command/commands.h"
#include "cli/command/run_program.h"
#include "cli/terminal/pip_progress.h"
#include "cli/terminal/progress_bar.h"

#include <fmt/format.h>

#include <filesystem>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

/// The system's, rather than another that stands before it on PATH: it sees the system's packages.
std::string choose_python(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  return is_program("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

Result<> make_environment(const std::string& python, const fs::path& folder) {
  fmt::print("making an environment in {}\n", folder.string());
  std::fflush(stdout);
  // With the system's packages: torch is mostly one of them, and only so can users add their own.
  TRY(const int code, run_program({python, "-m", "venv", "--system-site-packages", folder}));
  if (code == 0) return Ok();
  return Error(Code::kUnavailable,
               fmt::format("{} could not make it (exit code {}; why is said above): on Debian "
                           "`apt-get install python3-venv` helps, or choose another Python with "
                           "--python",
                           python, code));
}

/// People at a terminal see one line that changes, and what pip complains of; scripts what pip
/// says.
Result<int> run_pip(const std::vector<std::string>& command) {
  StatusLine line("installing");
  if (!line.is_shown()) return run_program(command);
  // Both of its outputs in one: what is complained of belongs above the line, not into it.
  std::vector<std::string> words{"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"};
  words.insert(words.end(), command.begin(), command.end());
  PipProgress progress;
  return stream_program(words, [&](std::string_view text) -> Result<> {
    if (const std::string told = progress.take(text); !told.empty()) {
      line.clear();
      fmt::print(stderr, "{}", told);
    }
    line.show(progress.text());
    return Ok();
  });
}

Result<> install_jupyterlab(const fs::path& folder) {
  fmt::print("installing JupyterLab from PyPI, some 100 MB\n");
  std::fflush(stdout);
  TRY(const int code,
      run_pip({folder / "bin/python", "-m", "pip", "install", "--no-input",
               "--disable-pip-version-check", "--retries", "2", "--timeout", "20", "jupyterlab"}));
  if (code == 0 && is_program(folder / "bin/jupyter-lab")) return Ok();
  return Error(Code::kUnavailable,
               fmt::format("pip could not install jupyterlab (exit code {}; why is said above). "
                           "Where PyPI cannot be reached, name a mirror in PIP_INDEX_URL, or map "
                           "an environment that has JupyterLab: `trainyard image map '*jupyter*' "
                           "--venv DIR`. Then run this command again",
                           code));
}

}  // namespace

Result<int> notebook_setup(const Flags& flags, const NotebookOptions& options) {
  const fs::path folder =
      from_root(options.folder.empty() ? flags.data_dir / "environments" / "notebook"
                                       : fs::path(options.folder));
  // A server must be there to take the map: found out before anything is downloaded.
  TRY_OK(Session::open(flags));
  if (!is_program(folder / "bin/python")) {
    TRY_OK(make_environment(choose_python(options.python), folder));
  }
  if (is_program(folder / "bin/jupyter-lab")) {
    fmt::print("JupyterLab is in {} already\n", folder.string());
  } else {
    TRY_OK(install_jupyterlab(folder));
  }
  ImageOptions map;
  map.pattern = options.image;
  map.venv = folder;
  return image_map(flags, map);
}

}  // namespace trainyard::cli
