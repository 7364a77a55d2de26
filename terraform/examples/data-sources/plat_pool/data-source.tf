data "plat_pool" "lan" {
  name = "lan"
}

output "gateway" {
  value = data.plat_pool.lan.gateway
}
