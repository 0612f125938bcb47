"""The Learn page: lessons, exercises, and published tables that can be measured again."""
