"""A recorded run as one HTML file that plays it: no server, no network."""
