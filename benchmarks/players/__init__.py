"""How strong the house players are: levels and baselines of each game play each other."""
