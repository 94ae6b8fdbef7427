#pragma once

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "client/fake_api.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

// For the tests of this room: an API in memory, and time that the test moves.

namespace trainyard::workloads {

class TestWorld {
 public:
  TestWorld();

  /// Lets time pass in steps, running all that becomes ready.
  void pass(std::chrono::nanoseconds span,
            std::chrono::nanoseconds step = std::chrono::milliseconds(100));
  /// Lets time pass until nothing was written for `quiet`.
  void settle(std::chrono::nanoseconds quiet = std::chrono::seconds(5));

  TestLoop loop;
  FakeClock clock;
  client::FakeApi api;
};

/// Calls that fail by chance: some before they did anything, some after.
class Faults {
 public:
  explicit Faults(std::uint32_t seed) : dice(seed) {}
  /// From now on about one call in `one_in` fails; 0: none.
  void plague(client::FakeApi& api, int one_in);
  /// What happens to every controller: its watches break, it has missed too much, it is started
  /// anew. Each once in `one_in` calls.
  void disturb(client::FakeApi& api, int one_in, const std::function<void()>& restart);
  int roll(int sides) { return std::uniform_int_distribution<int>(0, sides - 1)(dice); }

  std::mt19937 dice;
};

/// The seeds of a simulation: 1 … count; or SIM_SEED alone; or 1 … SIM_SEEDS.
std::vector<std::uint32_t> sim_seeds(std::uint32_t count);

/// {"apiVersion", "kind", "metadata": {"namespace", "name"}}
Json make_object(const std::string& api_version, const std::string& kind, const std::string& ns,
                 const std::string& name);
/// The value of a condition's field; empty when there is no such condition.
std::string condition_field(const Json& object, const std::string& type, const std::string& field);

}  // namespace trainyard::workloads
