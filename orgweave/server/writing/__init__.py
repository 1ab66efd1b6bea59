"""What may be written, and how: begin at `writer`; the rules of single objects are in `rules`."""
