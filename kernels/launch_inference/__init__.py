"""Launch inference for a `.cu` file without a tilescope comment: proposed values, and their trial. No Qt."""
