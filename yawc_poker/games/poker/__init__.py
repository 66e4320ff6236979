"""The European draw poker of Global Village BBS (spec/poker.md)."""
