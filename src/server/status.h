#pragma once

#include "object/schema/kind.h"

#include <string>

namespace trainyard::server {

/// The HTTP status of an error.
int http_status(Code code);

/// The error as the Status object that every Kubernetes client understands.
Json status_of(const Error& error);

/// The same for a request about one kind: `details` say of which object. `name` may be empty.
Json status_of(const Error& error, const Kind& kind, const std::string& name);

/// `pytorchtrainingjobs.batch.tensorstack.dev "mnist" not found`, and its siblings, worded as
/// kube-apiserver does, since scripts look for these words.
Error not_found(const Kind& kind, const std::string& name);
Error already_exists(const Kind& kind, const std::string& name);
Error modified_meanwhile(const Kind& kind, const std::string& name);
Error forbidden_object(const Kind& kind, const std::string& name, const std::string& why,
                       std::vector<FieldError> causes = {});
Error invalid_object(const Kind& kind, const std::string& name, std::vector<FieldError> causes);

/// For who asks for a state that is yet to come.
Error too_large_version(std::int64_t asked, std::int64_t current);

/// The answer to a successful deletion.
Json deletion_status(const Kind& kind, const Json& object);

}  // namespace trainyard::server
