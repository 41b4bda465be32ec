"""A plugin of pytest that counts the tests of long tiers and records a tier that passed."""

import last_run


class TierRecorder:
    """Counts by tier as reports come in, and writes when the session ends well."""

    def __init__(self, tiers: list[str], path=last_run.RECORD):
        self.path = path
        self.passed = dict.fromkeys(tiers, 0)
        self.skipped = dict.fromkeys(tiers, 0)
        self.seconds = dict.fromkeys(tiers, 0.0)

    def pytest_runtest_logreport(self, report):
        for tier in self.passed:
            if tier in report.keywords:
                self.seconds[tier] += report.duration
                self.passed[tier] += report.when == "call" and report.passed
                self.skipped[tier] += report.skipped

    def pytest_sessionfinish(self, exitstatus):
        """A session in which anything failed records nothing."""
        ran = [tier for tier in self.passed if self.passed[tier] > 0]
        if exitstatus != 0 or not ran:
            return
        record = last_run.read(self.path)
        for tier in ran:
            counts = (self.passed[tier], self.skipped[tier], self.seconds[tier])
            trees = last_run.digest(trees=last_run.TIERS[tier])
            record = last_run.with_run(record, tier, trees, *counts, last_run.today())
        self.path.write_text(last_run.as_text(record))
