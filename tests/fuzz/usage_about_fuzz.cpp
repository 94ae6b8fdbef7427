// What lies beside a usage series and tells whose it is: whatever the file holds, what is read of
// it can be written down and read again, and answers made with it are sound.
#include "fuzz.h"
#include "node/usage/usage_answer.h"

namespace trainyard::fuzz {

void run(std::string_view input) {
  const std::vector<std::string_view> lines = lines_of(input);
  auto pod = node::read_about(lines.front());
  if (!pod) return;
  const std::string written = node::about_text(*pod);
  const auto again = node::read_about(written);
  require(again.has_value(), "what was read can be read again", written);
  require(node::about_text(*again) == written, "and says the same", written);
  contract::UsageQuestion question;
  question.points = 4;
  question.from = WallTime(std::chrono::seconds(1'700'000'000));
  question.to = WallTime(std::chrono::seconds(1'700'003'600));
  const std::string blocks(input.substr(std::min(lines.front().size() + 1, input.size())));
  const auto answer = node::answer_usage(
      question, {{std::make_shared<const node::RecordedPod>(*std::move(pod)), blocks, {}}}, 0);
  require(answer.items.size() == 1, "there is an answer");
  for (const contract::UsageCurve& curve : answer.items[0].usage) {
    require(curve.mean.size() == 4 && curve.low.size() == 4, "with a value a step");
  }
}

}  // namespace trainyard::fuzz
