"""A finished org to look at in a browser: Datasette over a private copy, with pages of our own."""
