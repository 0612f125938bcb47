"""Lanes, masks, memory, the scheduler, barriers and the recorder. Knows no C and no checker."""
