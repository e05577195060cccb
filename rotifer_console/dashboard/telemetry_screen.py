"""The telemetry log on its screen (TUI-5)."""

from __future__ import annotations

from rotifer_console.dashboard.actions import Place
from rotifer_console.dashboard.log_rows import telemetry_titles
from rotifer_console.dashboard.log_screen import LogKind, LogScreen
from rotifer_console.dashboard.place_screen import bindings_of
from rotifer_console.view.log_filters import EVENT_FILTER_FORM
from rotifer_store import Store


class TelemetryScreen(LogScreen):
    """The events of refused accesses."""

    PLACE = Place.TELEMETRY
    BINDINGS = bindings_of(Place.TELEMETRY)
    KIND = LogKind(
        name="telemetry",
        open_view=Store.telemetry_view,
        titles=telemetry_titles,
        form=EVENT_FILTER_FORM,
        has_keys=False,
        empty=("no events", "a refused access leaves one here, unless telemetry is switched off"),
    )
