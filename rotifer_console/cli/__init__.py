"""The command line: one module for each command; it decides no rule of memory and sees no SQL."""

from __future__ import annotations

import gc

# Whatever starts here loads modules, which all stay: looking for garbage among them took 6 % of a listing's
# start (CLI-6). This stands before the imports of `app`, where the looking would happen.
gc.set_threshold(100_000)
