"""Editor in place of the listing: what is typed is run again after each pause."""
