# By the name.
terraform import plat_pool.lan lan
