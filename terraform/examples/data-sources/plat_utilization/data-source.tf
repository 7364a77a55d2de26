data "plat_utilization" "lan" {
  names = ["lan"]
}

output "available" {
  value = data.plat_utilization.lan.pools[0].available
}
