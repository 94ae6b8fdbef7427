#include "cli/cli.h"
#include "embedded_server.h"

int main(int argc, char** argv) {
  return trainyard::cli::run(argc, argv, trainyard::run_embedded_server);
}
