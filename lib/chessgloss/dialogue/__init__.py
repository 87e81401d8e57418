"""Questions about a move, answered from fresh facts of board and engine (CCC, Appendix D)."""
