data "plat_addresses" "shop" {
  pool       = "lan"
  attributes = { owner = "shop" }
}

output "addresses" {
  value = data.plat_addresses.shop.addresses[*].address
}
