"""Lanes, masks, memory, scheduler, barriers and recorder. Knows neither C nor any checker."""
