#include "cli/cli.h"
#include "embedded_server.h"
#include "node/run/running_pods.h"
#include "store/store_copy.h"

int main(int argc, char** argv) {
  namespace ty = trainyard;
  return ty::cli::run(argc, argv,
                      ty::cli::Parts{ty::run_embedded_server,
                                     {ty::store::copy_store, ty::store::edit_store},
                                     ty::node::end_running_pods});
}
