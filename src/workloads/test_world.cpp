#include "workloads/test_world.h"

#include "base/log.h"
#include "object/values/status.h"

#include <cstdlib>
#include <numeric>

namespace trainyard::workloads {

TestWorld::TestWorld() : clock(loop.executor()), api(loop.executor(), clock) {
  set_log_level(LogLevel::kError);  // failures are the business of these tests
}

void TestWorld::pass(std::chrono::nanoseconds span, std::chrono::nanoseconds step) {
  loop.run_ready();
  for (std::chrono::nanoseconds passed{}; passed < span; passed += step) {
    clock.advance(step);
    loop.run_ready();
  }
}

void TestWorld::settle(std::chrono::nanoseconds quiet) {
  std::size_t before = 0;
  do {
    before = api.writes();
    pass(quiet);
  } while (api.writes() != before);
}

void Faults::plague(client::FakeApi& api, int one_in) {
  if (one_in == 0) {
    api.before_call = nullptr;
    api.after_write = nullptr;
    return;
  }
  const auto maybe = [this, one_in](const client::FakeApi::Call&) -> Result<> {
    if (roll(one_in) != 0) return Ok();
    return Error(Code::kUnavailable, "the simulation lost it");
  };
  api.before_call = maybe;
  api.after_write = maybe;
}

void Faults::disturb(client::FakeApi& api, int one_in, const std::function<void()>& restart) {
  const int chance = roll(one_in);
  if (chance == 0) api.break_watches();
  if (chance == 1) api.forget_history();
  if (chance == 2) restart();
}

std::vector<std::uint32_t> sim_seeds(std::uint32_t count) {
  if (const char* one = std::getenv("SIM_SEED")) {
    return {static_cast<std::uint32_t>(std::strtoul(one, nullptr, 10))};
  }
  if (const char* many = std::getenv("SIM_SEEDS")) {
    count = static_cast<std::uint32_t>(std::strtoul(many, nullptr, 10));
  }
  std::vector<std::uint32_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), 1U);
  return seeds;
}

Json make_object(const std::string& api_version, const std::string& kind, const std::string& ns,
                 const std::string& name) {
  Json object{{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", name}}}};
  if (!ns.empty()) make_path(object, "metadata.namespace") = ns;
  return object;
}

std::string condition_field(const Json& object, const std::string& type, const std::string& field) {
  const Json* found = find_condition(object, type);
  return found == nullptr ? "" : std::string(string_at(*found, field));
}

}  // namespace trainyard::workloads
