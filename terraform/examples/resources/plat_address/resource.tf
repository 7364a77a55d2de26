# One IPv4 and one IPv6 address.
resource "plat_address" "web" {
  handle     = "shop/web-0"
  host       = "rack-7"
  ipv4       = 1
  ipv6       = 1
  pools      = ["lan-*"]
  attributes = { owner = "shop" }
}

# A specific address.
resource "plat_address" "router" {
  handle  = "router"
  host    = "router"
  address = "10.1.0.1"
}

output "cloud_init" {
  value = {
    addresses = plat_address.web.addresses[*].cidr
    gateway   = plat_address.web.addresses[0].gateway
  }
}
