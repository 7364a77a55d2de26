module plat.example/spiderpool

go 1.26.0

require github.com/spidernet-io/spiderpool v1.2.2
