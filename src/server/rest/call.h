#pragma once

#include "base/clock.h"
#include "http/server.h"
#include "object/schema/kind.h"
#include "server/access/user.h"
#include "server/route.h"
#include "server/verbs/verbs.h"
#include "server/wire/observed_writer.h"

#include <string>
#include <vector>

namespace trainyard::server {

/// What a request to a resource needs, found once, and the ways in which it is answered.
struct Call {
  const http::Request& request;
  const User& user;
  ObservedWriter& writer;
  Clock& clock;
  Executor heavy;  // a thread for what takes long
  KindPtr kind;
  Route route;
  std::string verb;
  Form form = Form::kJson;
  Part part = Part::kMain;
  std::vector<std::string> warnings = {};

  awaitable<Result<>> send(int status, std::string body);
  awaitable<Result<>> send_object(int status, const ObjectPtr& object);
  /// A scale, say, is of another kind than the object that it is of.
  awaitable<Result<>> send_object_of(const Kind& other, int status, const ObjectPtr& object);
  awaitable<Result<>> send_list(const Page& page);
  Error not_served() const;
};

}  // namespace trainyard::server
