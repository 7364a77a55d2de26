// Command terraform-provider-plat is the provider of Plat for OpenTofu and Terraform.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/plat-ipam/terraform-provider-plat/internal/provider"
)

// version is the release, which the linker sets.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "start the provider for a debugger")
	flag.Parse()
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/plat-ipam/plat",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
