"""Widgets of the Explore page: picture, listing, inspector, transport."""
