#pragma once

#include "client/remote/remote_api.h"
#include "object/values/metadata.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::cli {

/// A kind of job that a server knows.
struct JobKind {
  Resource resource;
  std::string kind;      // PyTorchTrainingJob
  std::string singular;  // pytorchtrainingjob
  std::vector<std::string> short_names;
};

/// A job as people name it: NAME, or KIND/NAME where several kinds have that name.
struct JobName {
  std::string kind;  // as it was written; empty: any
  std::string name;
};

Result<JobName> parse_job_name(const std::string& text);

/// The job kinds among what a server says of one group and version (an APIResourceList).
std::vector<JobKind> job_kinds_in(const Json& resources);
/// Whether a word means that kind: its kind, plural, singular or short name, in any case, also with
/// the group behind a dot.
bool is_meant(const JobKind& kind, std::string_view word);
/// The shortest word that means this kind and none of the others.
std::string word_for(const JobKind& kind, const std::vector<JobKind>& all);

/// All job kinds that the server knows: T9k's and Kubeflow's.
awaitable<Result<std::vector<JobKind>>> discover_job_kinds(client::RemoteApi& api);

}  // namespace trainyard::cli
