"""Measurement: a plan goes to a worker process, which verifies and times each point and sends its sample at once.

`plan` lists the points, `worker` measures them and prints messages of `protocol`, `supervise` starts workers and
replaces those that end early, `store` saves samples. Rates are computed from the stored times where they are shown.
"""
