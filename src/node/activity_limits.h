#pragma once

#include <algorithm>
#include <chrono>

namespace trainyard::node {

/// From when on a rank that does nothing is told of. All limits are here, with their reasons, and
/// follow from one, so that tests and impatient people can shorten all together.
struct ActivityLimits {
  /// Nothing computed, read, written, sent or received. Three minutes are longer than a checkpoint,
  /// a barrier or a slow download usually keeps all that is a rank from doing anything whatever,
  /// and a tenth of the time after which torch gives up by itself. Zero: nobody is told of.
  std::chrono::milliseconds quiet = std::chrono::minutes(3);

  bool watched() const { return quiet.count() > 0; }
  /// Computes, and does nothing else. An evaluation on rank 0 does that, too, while the others
  /// wait at a barrier: it may take ten minutes without a single line of output or byte read.
  std::chrono::milliseconds spinning() const { return quiet * 10 / 3; }
  /// Nobody is stopped by accident and goes on by itself; half a minute is enough to be sure that
  /// somebody with a debugger is not just pressing a key.
  std::chrono::milliseconds stopped() const { return quiet / 6; }
  /// How often is looked: often enough that a straggler's share of time is known within minutes,
  /// rarely enough that it costs next to nothing.
  std::chrono::milliseconds every() const {
    using std::chrono::milliseconds;
    return std::clamp<milliseconds>(quiet / 36, milliseconds(500), milliseconds(5000));
  }
  /// Over which time a rank's pace is found out; three in a row must agree.
  std::chrono::milliseconds pace_window() const { return quiet; }
};

/// What is taken for nothing, a second. A rank of gloo that waits takes 0.3 % of a core to look
/// after its connections, but its main thread none; threads that report to somebody each minute, a
/// queue that is looked into every few seconds, keep below these as well. One step of training
/// is far above at least one of them.
struct ActivityNoise {
  double family_cpu = 0.03;         // of a core, all its threads and processes
  double main_thread_cpu = 0.0015;  // of a core
  double bytes = 256;               // read and written, or sent and received
  // Who waits for others to come asks again and again, as torch's rendezvous does a hundred times a
  // second. A small training may look like that, too, so it counts only where the stack says so.
  double murmur_cpu = 0.05;
  double murmur_bytes = 65536;
};

}  // namespace trainyard::node
