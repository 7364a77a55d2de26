#!/bin/sh
# The address of a VM of Proxmox VE, on the node that has the VM:
#   ./address.sh assign 101     after qm create or qm clone, and before the first start
#   ./address.sh release 101    after qm destroy
# It needs plat and qm in the PATH, and PLAT_ENDPOINT. A second release says that nothing is left.
set -eu
handle="proxmox/$2"

case "$1" in
assign)
  # Under the limit, a VM that has an address gets no other.
  address=$(plat assign --host proxmox --pool lan --ipv4 1 --handle "$handle" --limit-per-handle 1 \
    -o jsonpath='{.addresses[0].cidr},gw={.addresses[0].gateway}')
  qm set "$2" --ipconfig0 "ip=$address"
  ;;
release)
  plat release --handle "$handle" --yes
  ;;
esac
