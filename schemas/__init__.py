"""Object types as data, company profiles, lexicons, and the loader that checks them."""
