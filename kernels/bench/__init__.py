"""Measurement: a plan goes to a worker process, which verifies and times, and sends every sample at once.

`plan` says what to measure, `worker` does it and speaks `protocol`, `supervise` starts workers and outlives
them, `store` keeps samples. Rates are derived from the times, wherever they are shown.
"""
