#include "cli/jobs/stack_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace trainyard::cli {
namespace {

using client::ProcessStack;
using contract::ThreadStack;

/// Those who are in one place.
struct Group {
  std::vector<std::string> names;
  std::set<std::string> waits;
  std::string first;   // who was met first
  std::string frames;  // as they are shown
  std::string no_python;
};

std::string frame_lines(const ThreadStack& thread) {
  std::string lines;
  for (const contract::StackFrame& frame : thread.frames) {
    lines += fmt::format("    {}:{} in {}\n", frame.file, frame.line, frame.function);
  }
  return lines;
}

std::string shown_frames(const ProcessStack& process, bool all_threads) {
  const ThreadStack* main = contract::main_stack(process.threads);
  if (main == nullptr) return {};
  std::string lines = frame_lines(*main);
  if (!all_threads) return lines;
  for (const ThreadStack& thread : process.threads) {
    if (&thread != main) lines += "  another thread:\n" + frame_lines(thread);
  }
  return lines;
}

std::string place_name(const PodStackList& pod, const ProcessStack& process) {
  if (process.rank) return fmt::format("rank {} ({})", *process.rank, pod.pod);
  const bool alone = pod.processes.size() == 1;
  return alone ? pod.pod : fmt::format("{}/{}", pod.pod, process.container);
}

}  // namespace

std::string show_stacks(const std::vector<PodStackList>& pods, bool all_threads) {
  std::map<std::string, Group> groups;  // by frames, and what the kernel says where there are none
  std::size_t total = 0;
  std::string rest;
  for (const PodStackList& pod : pods) {
    if (!pod.error.empty()) rest += fmt::format("{}: {}\n", pod.pod, pod.error);
    for (const ProcessStack& process : pod.processes) {
      ++total;
      const std::string frames = shown_frames(process, all_threads);
      Group& group = groups[frames.empty() ? process.waits : frames];
      if (group.names.empty()) group.first = fmt::format("{:06}", total);
      group.names.push_back(place_name(pod, process));
      group.waits.insert(process.waits);
      group.frames = frames;
      group.no_python = process.no_python;
    }
  }
  std::vector<const Group*> order;
  for (const auto& [frames, group] : groups) order.push_back(&group);
  std::sort(order.begin(), order.end(), [](const Group* a, const Group* b) {
    if (a->names.size() != b->names.size()) return a->names.size() > b->names.size();
    return a->first < b->first;
  });
  std::string text;
  for (const Group* group : order) {
    const std::string share = groups.size() > 1 && total > 2
                                  ? fmt::format(" [{} of {}]", group->names.size(), total)
                                  : "";
    text += fmt::format("{}{}: {}\n", fmt::join(group->names, ", "), share,
                        fmt::join(group->waits, "; "));
    text += group->frames.empty() ? fmt::format("    no Python stack: {}\n", group->no_python)
                                  : group->frames;
  }
  return text + rest;
}

}  // namespace trainyard::cli
