#pragma once

#include "base/clock.h"
#include "server/access/auth.h"
#include "server/access/rbac.h"
#include "server/access/token_signer.h"
#include "store/store.h"

#include <string>

namespace trainyard::server {

/// Answers the kinds that are questions and are never stored: who am I, may I, whose token is this.
/// Whether the user may ask at all is the caller's to check, as for every create.
class Reviews {
 public:
  Reviews(const store::Store& store, const Rbac& rbac, const Authenticator& authenticator,
          const TokenSigner& signer, const Clock& clock)
      : store_(store), rbac_(rbac), authenticator_(authenticator), signer_(signer), clock_(clock) {}

  /// Whether a POST to that resource is a question for answer(): the selfsubject… and …reviews of
  /// authentication.k8s.io and authorization.k8s.io.
  static bool answers(const Resource& resource);

  /// The review with its status. `ns` is the path's, for localsubjectaccessreviews.
  Result<Json> answer(const User& user, const Resource& resource, const std::string& ns,
                      Json body) const;

  /// The TokenRequest of POST …/serviceaccounts/NAME/token with its token.
  Result<Json> request_token(const Key& account, Json body) const;

 private:
  // Each gives the review's status.
  Json review_token(const Json& body) const;
  Json review_access(const User& user, const Json& body) const;
  Result<Json> review_rules(const User& user, const Json& body) const;

  const store::Store& store_;
  const Rbac& rbac_;
  const Authenticator& authenticator_;
  const TokenSigner& signer_;
  const Clock& clock_;
};

}  // namespace trainyard::server
