"""Objects and centres of k-means as points of the plane."""
