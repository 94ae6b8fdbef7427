#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::monitor {

/// A position of all that there is; 0: it is not told how much that is.
struct Counter {
  std::int64_t at = 0;
  std::int64_t of = 0;
  bool operator==(const Counter&) const = default;
};

/// What one line of a log says of how far a training has come.
struct ProgressLine {
  std::optional<Counter> epoch;
  std::optional<Counter> step;  // of steps, batches or samples, within the epoch where there is one
  std::string unit;             // what is counted, where the line says: step, batch, it …
  std::map<std::string, double> values;  // loss, accuracy …, by the name that the line has
  bool operator==(const ProgressLine&) const = default;
};

/// Reads lines as trainings write them: tqdm's bars, `Epoch 3 [640/60000 (1%)] Loss: 0.2`,
/// `Epoch: [0][10/5005]`, `epoch 2/10 with val loss: 0.3`, `step 100/1000`, `[7/20]`, Keras' bars,
/// `{'loss': 0.5, 'epoch': 1.2}`. Nothing when the line speaks of something else. Foreign text of
/// any kind: only its last 2,000 bytes are looked at, where a bar was drawn anew again and again.
std::optional<ProgressLine> read_progress_line(std::string_view line);

/// Whether a name is that of something that trainings are judged by: loss, val_acc, train/loss, lr.
bool is_measure(std::string_view name);

}  // namespace trainyard::monitor
