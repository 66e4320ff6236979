"""Rankings as a caller reads them: tables, the hall of fame, the figures and the chart of a profile."""
