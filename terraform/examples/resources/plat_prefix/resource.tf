resource "plat_prefix" "cluster" {
  handle      = "cluster-7"
  family      = 4
  pools       = ["clusters"]
  description = "Pods of cluster 7"
  tags        = ["shop"]
}
