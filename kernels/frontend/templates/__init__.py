"""Templates and parameter packs, which are parsed again for each list of arguments."""
