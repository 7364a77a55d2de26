terraform {
  required_providers {
    netbox = {
      source = "e-breuninger/netbox"
    }
  }
}

provider "netbox" {
  skip_version_check = true
}

variable "description" {
  type    = string
  default = "first"
}

resource "netbox_prefix" "lan" {
  prefix      = "10.9.0.0/24"
  status      = "active"
  description = var.description
}

resource "netbox_available_ip_address" "web" {
  count       = 20
  prefix_id   = netbox_prefix.lan.id
  dns_name    = "web-${count.index}.example.org"
  description = var.description
  depends_on  = [netbox_ip_address.gateway]
}

resource "netbox_ip_address" "gateway" {
  ip_address  = "10.9.0.1/24"
  status      = "reserved"
  description = var.description
  depends_on  = [netbox_prefix.lan]
}

resource "netbox_prefix" "clusters" {
  prefix = "10.73.0.0/16"
  status = "container"
}

resource "netbox_available_prefix" "cluster" {
  parent_prefix_id = netbox_prefix.clusters.id
  prefix_length    = 24
  status           = "active"
  description      = var.description
}
