#pragma once

#include "base/async.h"
#include "node/config.h"
#include "node/volumes/volume_files.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace trainyard::node {

struct NodeParts;

/// Keeps the volumes of one pod that show files (volume_files.h) as they shall be, the one of its
/// service account among them: before its containers start, when what they show changes, and when a
/// token nears its end.
class PodFiles {
 public:
  explicit PodFiles(NodeParts& parts) : parts_(parts) {}

  /// Writes what has changed. True: containers that had to wait for files need not any longer.
  awaitable<bool> refresh(ObjectPtr pod, PodFacts facts);

  /// What hinders the pod's containers to start.
  const Result<>& state() const { return state_; }
  /// Whether its containers get what a client of the API needs.
  bool gives_account() const { return account_ == Account::kGiven; }
  /// Whether a ConfigMap or Secret of that name matters to what is shown.
  bool uses(const std::string& config) const { return used_.contains(config); }
  /// When time alone makes refresh() worth while.
  std::optional<TimePoint> next_look() const { return next_look_; }

 private:
  enum class Account : std::uint8_t { kUnknown, kGiven, kNotGiven };
  struct Token {
    std::string text;
    WallTime renew;
  };

  awaitable<Result<>> update(ObjectPtr pod, PodFacts facts);
  awaitable<Result<>> decide_account(ObjectPtr pod);
  awaitable<Result<>> fetch_tokens(ObjectPtr pod, std::vector<Json> volumes);
  awaitable<Result<Token>> fetch(ObjectPtr pod, TokenWish wish);
  awaitable<Result<>> write(ObjectPtr pod, PodFacts facts, std::vector<Json> volumes);
  awaitable<Result<>> write_volume(std::filesystem::path folder, std::string volume,
                                   VolumeFiles files, FileOwner owner);
  void look_again_at(WallTime time);

  NodeParts& parts_;
  Account account_ = Account::kUnknown;
  std::map<TokenWish, Token> tokens_;
  std::map<std::string, VolumeFiles> shown_;  // by volume
  std::set<std::string> used_;
  Result<> state_ = Error(Code::kUnavailable, "its volumes have not been looked at yet");
  std::optional<TimePoint> next_look_;
};

}  // namespace trainyard::node
