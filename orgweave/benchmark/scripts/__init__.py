"""What scripts that answer queries by the agents' tools are made of; they need no model."""
