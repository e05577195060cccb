"""What people read: pure rows and sentences made of the library's values. No Typer, no terminal, no store."""
