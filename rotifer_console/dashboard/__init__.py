"""The dashboard, `rotifer console`: what agents remember, on a screen that follows the store (TUI).

Pure modules decide what is shown (`actions`, `cells`, `entry_window`, `filter_text`, `keymap`, `saved_view`,
`looks`); `desk` does the store's work on threads of its own; the rest are widgets and screens on Textual.
"""
