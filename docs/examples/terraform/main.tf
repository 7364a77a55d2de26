terraform {
  required_providers {
    restapi = {
      source  = "Mastercard/restapi"
      version = "~> 3.0"
    }
  }
}

variable "plat_token" {
  type      = string
  sensitive = true
}

provider "restapi" {
  uri          = "https://plat.example.com"
  bearer_token = var.plat_token

  # A repeat of any of these requests does no harm.
  retries {
    max_retries = 4
  }
}

resource "restapi_object" "web" {
  path         = "/v1/handles"
  create_path  = "/v1/assign"
  id_attribute = "handle"

  data = jsonencode({
    handle = "terraform-web-0"
    host   = "terraform"
    pools  = ["lan"]
    ipv4   = 1

    # A handle that has an address gets no other.
    limitPerHandle = 1
  })

  # Plat answers with more fields than these, and changes none of them. Another pool means another address.
  ignore_server_additions = true
  force_new               = ["handle", "host", "pools", "ipv4"]
}

output "address" {
  value = jsondecode(restapi_object.web.api_response).addresses[0].cidr
}
