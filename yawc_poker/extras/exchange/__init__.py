"""The exchange: shares of the village's companies, at prices by sealed chance; `A` in the casino.

Owns everything about shares but the tables in the bank's books that hold them (`casino.bank`): whoever takes this
folder away and puts it back finds the shares as they were.
"""
