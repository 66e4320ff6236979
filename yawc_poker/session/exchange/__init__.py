"""A caller at the exchange: prices, charts, orders, their shares in the profile; what the house gives the broke."""
