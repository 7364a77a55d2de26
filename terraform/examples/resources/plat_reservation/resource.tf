resource "plat_reservation" "printers" {
  name   = "printers"
  cidrs  = ["10.1.0.2-10.1.0.9", "10.1.0.64/28"]
  reason = "Printers with fixed addresses"
}
