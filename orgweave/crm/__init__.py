"""What a CRM says of its objects and fields, in which order it takes them, and the seam to one."""
