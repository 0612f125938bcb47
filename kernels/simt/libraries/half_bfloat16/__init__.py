"""half and bfloat16 arithmetic."""
