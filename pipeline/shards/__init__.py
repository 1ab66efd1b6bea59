"""Very large orgs, made in shards of fixed size and joined to one."""
