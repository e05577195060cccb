"""Genes of a project: finding their folders, and the example that `rotifer init` lays down."""
