#pragma once

#include "node/config.h"
#include "node/run/run_state.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What keeps a program from a file of a volume is often that the folder is somebody's whom it does
/// not run as. Its own words are "Permission denied": whose it is and what to do, only the node can
/// tell.
namespace trainyard::node {

/// What a run's `spec` (run_spec.h) says of folders and of who runs.
struct RunPlaces {
  struct Place {
    std::string source;  // on the host
    std::string sub_path;
    std::string target;  // in the container
  };
  std::vector<Place> places;
  std::string working_dir;
  std::int64_t uid = 0;
  std::vector<std::int64_t> groups;
};
RunPlaces read_run_places(std::string_view spec, std::int64_t server_uid);

/// The first line that tells of a refusal; empty when there is none.
std::string_view find_denied_line(std::string_view log);

/// What a line is about: a file below one of the places.
struct DeniedPlace {
  RunPlaces::Place place;
  std::string rest;  // below it; empty: the place itself
};
/// A path that the line names, else the working folder.
std::optional<DeniedPlace> find_denied_place(std::string_view line, const RunPlaces& run);

/// Says in the state of a run that has failed whose the folder is that it was kept from, and what
/// to do, if it was.
void explain_denied(const std::filesystem::path& run_folder, const Paths& paths, RunState& state);

}  // namespace trainyard::node
