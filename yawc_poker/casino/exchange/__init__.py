"""The exchange: shares of ten companies, whose prices walk by sealed chance; and the allowance for the broke."""
