"""Results: series of samples, their figures, the tabs that show them, and exports. Figures are free of Qt."""
