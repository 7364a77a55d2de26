#!/bin/sh
# The address of a machine of MAAS, by its system id:
#   ./address.sh assign exqn37 58    for its interface 58, before the machine is deployed
#   ./address.sh release exqn37      after the machine is released
# It needs plat and maas in the PATH, PLAT_ENDPOINT, and PROFILE, the profile of the maas command.
# A second assign tells maas the same address, and a second release says that nothing is left.
set -eu
subnet=10.1.0.0/24
handle="maas/$2"

case "$1" in
assign)
  # Under the limit, a machine that has an address gets no other.
  address=$(plat assign --host maas --pool "$subnet" --ipv4 1 --handle "$handle" --limit-per-handle 1 \
    -o jsonpath='{.addresses[0].address}')
  maas "$PROFILE" interface link-subnet "$2" "$3" mode=static subnet="$subnet" ip_address="$address"
  ;;
release)
  plat release --handle "$handle" --yes
  ;;
esac
