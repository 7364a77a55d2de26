module plat.example/cilium

go 1.26.0

require github.com/cilium/cilium v1.20.2
