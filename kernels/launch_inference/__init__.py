"""Launch inference for a `.cu` file without a tilescope comment: proposed values, their trial, and the run. No Qt."""
