"""Who computes what depends on nothing but its arguments: this process, or several."""
