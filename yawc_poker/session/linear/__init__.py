"""A caller without a screen: a table told in lines, and the choice between lines and a screen."""
