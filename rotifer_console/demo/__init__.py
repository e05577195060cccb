"""The project of `rotifer demo`: its genes, and what happened in it before anyone looks."""
