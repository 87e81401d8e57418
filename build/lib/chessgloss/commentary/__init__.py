"""Commentary on a move: what is given to a writer, the methods that write, their prompts."""
