# By the name.
terraform import plat_reservation.printers printers
