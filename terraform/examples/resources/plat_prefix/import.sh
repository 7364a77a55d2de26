# By the handle, or by handle and prefix if the handle has more than one.
terraform import plat_prefix.cluster cluster-7
terraform import plat_prefix.cluster 'cluster-7#10.64.16.0/20'
