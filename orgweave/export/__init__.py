"""A finished org in the formats that others read: a file a format, listed in `registry`."""
