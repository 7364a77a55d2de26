# By the handle.
terraform import plat_address.web shop/web-0
