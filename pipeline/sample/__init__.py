"""Facts: samplers by source kind, and the object tables they fill."""
