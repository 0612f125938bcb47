"""cuRAND's device functions."""
