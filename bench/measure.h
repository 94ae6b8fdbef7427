#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::bench {

using Clock = std::chrono::steady_clock;

/// The times of many requests of one sort.
class Measurement {
 public:
  void add(Clock::duration time) { times_.push_back(time); }
  void set_span(Clock::duration span) { span_ = span; }
  std::size_t count() const { return times_.size(); }
  double per_second() const;
  /// The time in milliseconds that this share of the requests (0.5, 0.99) stayed below.
  double percentile(double share);

 private:
  std::vector<Clock::duration> times_;
  Clock::duration span_{};
};

/// One line of the report. `peer` is the figure of a real kube-apiserver with etcd on this kind of
/// machine; 0: there is none.
struct Row {
  std::string work;
  double rate = 0;  // per second
  double p50 = 0;   // milliseconds
  double p99 = 0;
  double peer = 0;
  double goal = 0;  // how many times the peer's rate must be reached
};

void print_table(const std::vector<Row>& rows);
std::string to_json_text(const std::vector<Row>& rows);

/// Resident memory of a process in kilobytes, and its CPU seconds so far; 0 when unknown.
std::int64_t resident_kb(int pid);
double cpu_seconds(int pid);

}  // namespace trainyard::bench
