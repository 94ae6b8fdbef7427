// kubectl for the end-to-end tests: the real command, built from its published Go modules,
// because the one that Debian 12 carries is too old to speak to our server's exec and attach.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"

	// Logins that a kubeconfig may name (exec plugins, OIDC).
	_ "k8s.io/client-go/plugin/pkg/client/auth"
)

func main() {
	if cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()) != nil {
		os.Exit(1)
	}
}
