"""Facts of a thread or element, the causes and readers of its value, and the card that shows them."""
