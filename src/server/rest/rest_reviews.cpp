// Questions that are asked by creating what is never stored: reviews, and tokens of accounts.
#include "server/rest/handlers.h"
#include "server/wire/request_options.h"

namespace trainyard::server {
namespace {

awaitable<Result<>> answer_review(Call& call, const Reviews& reviews) {
  CO_TRY_OK(write_options(call.request));
  if (!call.route.key.name.empty()) co_return call.not_served();
  CO_TRY(Json body, decode_body(call.request));
  CO_TRY(const Json review,
         reviews.answer(call.user, call.kind->resource, call.route.key.ns, std::move(body)));
  co_return co_await call.send(201, to_text(review));
}

awaitable<Result<>> make_token(Call& call, const Reviews& reviews) {
  CO_TRY(Json body, decode_body(call.request));
  CO_TRY(const Json answer, reviews.request_token(call.route.key, std::move(body)));
  co_return co_await call.send(201, to_text(answer));
}

}  // namespace

CallHandler handle_review(const Sources& sources) {
  return handler(answer_review, sources.reviews);
}

CallHandler handle_token(const Sources& sources) {
  return handler(make_token, sources.reviews);
}

}  // namespace trainyard::server
