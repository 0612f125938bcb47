"""Templates and parameter packs: parsed again, from their tokens, for each list of arguments."""
