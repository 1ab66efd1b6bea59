"""A company's own files: what they lack, how they begin, and how a model drafts them."""
