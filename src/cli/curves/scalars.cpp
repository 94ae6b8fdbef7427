#include "cli/curves/scalars.h"

#include "cli/command/jobs_view.h"
#include "cli/curves/scalar_views.h"
#include "cli/curves/volume_log_folder.h"
#include "cli/data/data_place.h"
#include "cli/logs/log_lines.h"
#include "contract/log_sources.h"
#include "monitor/events/event_log.h"
#include "object/json/utf8.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

namespace trainyard::cli {
namespace {

using monitor::EventLog;
using monitor::EventRun;
using monitor::LogFolder;

/// Points that one run may hold in memory before they are printed as CSV.
constexpr std::size_t kCsvBytes = 64 << 20;

/// One of the folders that are read, and what stands before the names of its runs.
struct LogPart {
  std::string label;
  std::unique_ptr<LogFolder> folder;
  std::unique_ptr<EventLog> log{};

  std::string name_of(const EventRun& run) const {
    if (label.empty()) return run.name();
    return run.name() == "." ? label : label + "/" + run.name();
  }
};

struct Sources {
  std::unique_ptr<Session> session;  // outlives the folders
  std::vector<LogPart> parts;
};

Result<LogPart> open_part(Session& session, const std::string& volume, const std::string& folder,
                          std::string label) {
  TRY(auto opened, open_volume_logs(session, volume, folder));
  return LogPart{std::move(label), std::move(opened)};
}

Result<std::vector<contract::LogFolderSource>> sources_of(const FoundJob& job) {
  contract::LogPlaces places = contract::find_log_places(job.body());
  if (!places.folders.empty()) return std::move(places.folders);
  if (places.remote.empty()) {
    return Error(Code::kNotFound,
                 fmt::format("job {} does not say where its event files are (spec.tensorboardSpec."
                             "logDir, or the annotation {}): name the folder with --logdir DIR or "
                             "--logdir VOLUME:PATH",
                             job.key().name, contract::kLogFolderAnnotation));
  }
  return Error(Code::kUnsupported,
               fmt::format("the event files of job {} are in no volume ({}): copy them here and "
                           "name the folder with --logdir DIR",
                           job.key().name, fmt::join(places.remote, ", ")));
}

Result<Sources> open_sources(const Flags& flags, const ScalarsOptions& options) {
  if (options.job.empty() == options.log_folder.empty()) {
    return Error(Code::kInvalid,
                 "say whose curves: trainyard scalars JOB, or --logdir DIR or VOLUME:PATH");
  }
  Sources sources;
  DataPlace place;
  if (!options.log_folder.empty()) {
    TRY(place, parse_place(options.log_folder));
    if (place.volume.empty()) {
      TRY(auto folder, monitor::open_log_folder(place.path));
      sources.parts.push_back(LogPart{"", std::move(folder)});
      return sources;
    }
  }
  TRY(sources.session, Session::open(flags));
  Session& session = *sources.session;
  if (!place.volume.empty()) {
    TRY(LogPart part, open_part(session, place.volume, place.path, ""));
    sources.parts.push_back(std::move(part));
    return sources;
  }
  TRY(const FoundJob job, session.run(find_job(session.api(), session.ns(), options.job)));
  TRY(const auto folders, sources_of(job));
  for (const contract::LogFolderSource& source : folders) {
    TRY(LogPart part,
        open_part(session, source.claim, source.folder, folders.size() > 1 ? source.label() : ""));
    sources.parts.push_back(std::move(part));
  }
  return sources;
}

Result<> find_runs(Sources& sources, const Flags& flags, const ScalarsOptions& options) {
  for (LogPart& part : sources.parts) {
    monitor::EventLogOptions how;
    how.tags.only = options.tags;
    how.only_scalars = flags.output.empty();
    // The API is asked from one thread.
    how.threads = sources.session ? 1 : std::max(1U, std::thread::hardware_concurrency());
    how.most_bytes /= sources.parts.size();
    if (!part.log) part.log = std::make_unique<EventLog>(*part.folder, how);
    TRY_OK(part.log->find_runs());
  }
  return Ok();
}

std::vector<NamedRun> named_runs(const Sources& sources) {
  std::vector<NamedRun> runs;
  for (const LogPart& part : sources.parts) {
    for (const auto& run : part.log->runs()) runs.push_back({part.name_of(*run), &run->data()});
  }
  return runs;
}

std::vector<std::string> warnings_of(const Sources& sources) {
  monitor::ReadNotes notes;
  for (const LogPart& part : sources.parts) notes.add(part.log->notes());
  return notes.sentences();
}

/// Whoever reads it may have seen enough, such as `head`: that is no error.
class Output {
 public:
  void write(std::string_view text) {
    if (broken_ || std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
    broken_ = true;
  }
  bool broken() const { return broken_; }

 private:
  bool broken_ = false;
};

/// Run by run, and when one is too large for the memory, part by part of it. Forgets what it has
/// printed.
Result<> print_csv(Sources& sources, Output& output) {
  const WriteText write = [&](std::string_view text) { output.write(text); };
  monitor::ReadBuffer buffer;
  for (LogPart& part : sources.parts) {
    for (const auto& run : part.log->runs()) {
      const auto print = [&](EventRun& now) {
        write_csv({as_utf8(part.name_of(now)), &now.data()}, write);
        now.forget_scalars();
      };
      run->refresh(*part.folder, buffer, [&](EventRun& now) {
        if (now.data().bytes() > kCsvBytes) print(now);
      });
      print(*run);
      if (output.broken()) return Ok();
    }
  }
  return Ok();
}

std::size_t terminal_columns() {
  struct winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 80;
}

int finish(const Sources& sources, bool found) {
  for (const std::string& warning : warnings_of(sources)) {
    fmt::print(stderr, "warning: {}\n", as_utf8(warning));
  }
  if (found) return 0;
  fmt::print(stderr, "no curves: there are no event files with scalars{}\n",
             named_runs(sources).empty() ? "" : " of such tags");
  return 1;
}

bool has_scalars(const Sources& sources) {
  for (const NamedRun& run : named_runs(sources)) {
    for (const monitor::TagData& tag : run.data->tags()) {
      if (tag.scalars() != nullptr) return true;
    }
  }
  return false;
}

/// Prints what is there, and with --follow what comes, until Ctrl-C.
Result<int> csv(const Flags& flags, const ScalarsOptions& options, Sources& sources) {
  Output output;
  output.write(kScalarHeading);
  while (true) {
    TRY_OK(print_csv(sources, output));
    std::fflush(stdout);
    if (!options.follow || output.broken()) break;
    ::usleep(500'000);
    TRY_OK(find_runs(sources, flags, options));
  }
  return finish(sources, has_scalars(sources));
}

}  // namespace

Result<int> scalars(const Flags& flags, const ScalarsOptions& options) {
  TRY(Sources sources, open_sources(flags, options));
  TRY_OK(find_runs(sources, flags, options));
  if (options.csv) return csv(flags, options, sources);
  for (LogPart& part : sources.parts) part.log->refresh();
  const std::vector<NamedRun> runs = named_runs(sources);
  Output output;
  const WriteText write = [&](std::string_view text) { output.write(text); };
  if (flags.output == "json") {
    write_json(runs, warnings_of(sources), write);
  } else if (options.plot) {
    write_plots(runs, {terminal_columns(), wants_colours()}, write);
  } else {
    output.write(scalar_table(runs));
  }
  return finish(sources, has_scalars(sources));
}

}  // namespace trainyard::cli
