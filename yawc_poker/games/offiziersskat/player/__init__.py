"""The house player of Offiziersskat: what it knows, how it searches, how it judges a position. Pure.

Everything but the covered cards is public, and those nobody knows: so there is nothing to infer and no reason to bluff.
`choose.py` imagines where the covered cards could lie, `search.py` plays each of these worlds to the end or some tricks
ahead, `worth.py` judges what is left then.
"""
