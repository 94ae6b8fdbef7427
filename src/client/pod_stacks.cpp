#include "client/pod_stacks.h"

#include <algorithm>
#include <cstdint>

namespace trainyard::client {
namespace {

Json thread_json(const contract::ThreadStack& thread) {
  JsonArray frames;
  for (const contract::StackFrame& frame : thread.frames) {
    frames.push_back({{"file", frame.file}, {"line", frame.line}, {"function", frame.function}});
  }
  return {{"main", thread.current}, {"frames", std::move(frames)}};
}

int small_int(const Json& json, const char* name, std::int64_t fallback) {
  return static_cast<int>(std::clamp<std::int64_t>(int_at(json, name, fallback), -1, INT32_MAX));
}

contract::ThreadStack read_thread(const Json& json) {
  contract::ThreadStack thread;
  thread.current = bool_at(json, "main");
  for (const Json& frame : array_at(json, "frames")) {
    thread.frames.push_back({std::string(string_at(frame, "file")), small_int(frame, "line", 0),
                             std::string(string_at(frame, "function"))});
  }
  return thread;
}

}  // namespace

Json stacks_json(const std::vector<ProcessStack>& stacks) {
  JsonArray processes;
  for (const ProcessStack& stack : stacks) {
    JsonObject json{{"container", stack.container}};
    if (stack.rank) json["rank"] = *stack.rank;
    json["pid"] = stack.pid;
    json["command"] = stack.command;
    json["waits"] = stack.waits;
    JsonArray threads;
    for (const contract::ThreadStack& thread : stack.threads)
      threads.push_back(thread_json(thread));
    json["threads"] = std::move(threads);
    if (!stack.no_python.empty()) json["noPython"] = stack.no_python;
    processes.push_back(std::move(json));
  }
  return {{"kind", "PodStacks"}, {"apiVersion", "v1"}, {"processes", std::move(processes)}};
}

std::vector<ProcessStack> read_stacks(const Json& answer) {
  std::vector<ProcessStack> stacks;
  for (const Json& json : array_at(answer, "processes")) {
    ProcessStack stack;
    stack.container = string_at(json, "container");
    if (const int rank = small_int(json, "rank", -1); rank >= 0) stack.rank = rank;
    stack.pid = small_int(json, "pid", 0);
    stack.command = string_at(json, "command");
    stack.waits = string_at(json, "waits");
    for (const Json& thread : array_at(json, "threads")) {
      stack.threads.push_back(read_thread(thread));
    }
    stack.no_python = string_at(json, "noPython");
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

}  // namespace trainyard::client
