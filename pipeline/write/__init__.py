"""Words: requests, prompts, lanes and the writers that answer them."""
