module github.com/plat-ipam/plat-cni

go 1.25.0
