"""Where a value comes from and who reads it: the facts of a thread or element, and the card that shows them."""
