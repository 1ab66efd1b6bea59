"""One page that shows how good an org is: what was proved, drawn and said, without a network."""
