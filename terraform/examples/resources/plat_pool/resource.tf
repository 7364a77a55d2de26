# A network of machines.
resource "plat_pool" "lan" {
  name    = "lan"
  cidr    = "10.1.0.0/24"
  kind    = "subnet"
  gateway = "10.1.0.1"
  dns     = ["10.1.0.53"]
}

# Prefixes for clusters.
resource "plat_pool" "clusters" {
  name            = "clusters"
  cidr            = "10.64.0.0/12"
  assign          = "prefixes"
  block_size      = 20
  assignment_mode = "Manual"
}
