terraform {
  required_providers {
    plat = {
      source = "plat-ipam/plat"
    }
  }
}

# A deployment with IAM: requests are signed with the credentials of the AWS SDK.
provider "plat" {
  endpoint = "https://abc123.execute-api.eu-central-1.amazonaws.com"
}

# A local server, and an address space of it.
provider "plat" {
  alias    = "laptop"
  endpoint = "http://127.0.0.1:8787"
  space    = "blue"
}
