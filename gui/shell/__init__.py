"""The application around the pages: window, header, messages, jobs, settings."""
