"""Keeping a list of lines as the log is: looked at again and again, read where it is in sight (TUI-5)."""

from __future__ import annotations

from collections.abc import Callable

from rotifer_console.dashboard.log_lane import LogLane
from rotifer_console.dashboard.log_list import LogList
from rotifer_console.dashboard.log_matching import Matching
from rotifer_console.dashboard.log_reading import Lines, Polled
from rotifer_console.view.logs import describe_notice
from rotifer_store import LogChange, LogNotice, LogNoticeKind


class Following:
    """Looks at the log, one look at a time, and reads the lines that come into sight.

    A class because it remembers what is on its way, and what is wrong with the log.
    """

    def __init__(
        self,
        log: LogLane,
        lines: LogList,
        matching: Matching,
        file: str,
        *,
        say: Callable[[str, str], None],
        changed: Callable[[], None],
        began_anew: Callable[[], None],
    ) -> None:
        """Looks at nothing yet.

        Args:
            log: the log.
            lines: the list that shows it.
            matching: goes on after every look.
            file: the name of the file that is written to.
            say: says what befell the log, and in which role.
            changed: told when there is something else to show.
            began_anew: told before that when lines have gone, and others their numbers.
        """
        self._log = log
        self._lines = lines
        self._matching = matching
        self._file = file
        self._say = say
        self._changed = changed
        self._began_anew = began_anew
        self._is_looking = False
        self._is_reading = False
        self.has_looked = False
        self.counted = (0, 0)
        """How many bytes have been counted, and how many have not."""
        self.gone: str | None = None
        """That the file is gone, while it is."""
        self.error: Exception | None = None
        """Why the log cannot be looked at."""
        self.reading_trouble: str | None = None
        """Why lines that are in sight cannot be read; after the next look it is tried again."""

    def look(self) -> None:
        """Looks for what is new, unless a look is on its way."""
        if self._is_looking:
            return
        self._is_looking = True
        reading, anchor = self._log.reading, self._lines.to_keep
        self._log.ask(
            "poll", lambda open_store: reading.poll(open_store, anchor), self._looked, self._not_looked
        )

    def _looked(self, polled: Polled | None) -> None:
        was_well = self.has_looked and self.error is None
        self._is_looking, self.has_looked, self.error = False, True, None
        if polled is not None:
            self._take(polled)
        if polled is not None or not was_well:
            self._changed()
        if polled is not None and polled.is_behind:
            self.look()
        else:
            self.read_in_sight()
            self._matching.go_on()

    def _not_looked(self, error: Exception) -> None:
        self._is_looking, self.error = False, error
        self._changed()

    def _take(self, polled: Polled) -> None:
        change, lines = polled.change, self._lines
        if change.first_changed is not None:
            self._matching.forget_from(change.first_changed)
        lines.take(polled)
        lines.genes = self._log.reading.genes
        self.counted = (polled.counted_bytes, polled.uncounted_bytes)
        self._say_what_befell(change)
        if change.restarted:
            self._began_anew()
        lines.settle()

    def _say_what_befell(self, change: LogChange) -> None:
        gone = LogNotice(self._file, LogNoticeKind.GONE)
        for notice in change.notices:
            if notice != gone:
                self._say(describe_notice(notice), "warning")
        of_the_file = [notice for notice in change.notices if notice.file == self._file]
        if of_the_file and of_the_file[-1] == gone:
            self.gone = describe_notice(gone)
        elif self.gone is not None and (of_the_file or change.added > 0):
            self.gone = None
            self._say(f"{self._file} is back", "accent")

    def read_in_sight(self) -> None:
        """Reads what is in sight, or nearly, and has not been read, unless that is on its way."""
        unread = [] if self._is_reading else self._lines.unread()
        if not unread:
            return
        self._is_reading = True
        reading = self._log.reading
        self._log.ask("read", lambda open_store: reading.read(open_store, unread), self._read, self._not_read)

    def _read(self, lines: Lines) -> None:
        self._is_reading = False
        self._fail_to_read(None)
        self._lines.genes = self._log.reading.genes
        self._lines.read(lines)
        if lines:  # of lines that are not there any more the next look tells
            self.read_in_sight()

    def _not_read(self, error: Exception) -> None:
        self._is_reading = False
        self._fail_to_read(str(error))

    def _fail_to_read(self, trouble: str | None) -> None:
        if trouble != self.reading_trouble:
            self.reading_trouble = trouble
            self._changed()
