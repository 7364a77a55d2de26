module plat.example/calico

go 1.26.0

require github.com/projectcalico/calico v1.11.0-cni-plugin.0.20250813170300-a0db560f0520
