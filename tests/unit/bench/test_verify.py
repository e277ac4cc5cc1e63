"""The figures of the verification benchmark, from plain values."""

import os

from bench.large_video import Peaks, watched
from bench.proving import BARE, PROBE, TWO_BARE, WITH_STORE
from bench.verify import as_json, peaks_as_json


def test_the_probe_is_compared_with_as_many_bare_loops_round_by_round() -> None:
    rates = {BARE: [50.0], TWO_BARE: [100.0, 10.0, 200.0], PROBE: [80.0, 1.0, 180.0], WITH_STORE: [60.0, 6.0, 1.0]}
    figures = as_json(rates)
    assert (figures["probe_vs_bare"], figures["store_and_probe_vs_bare"]) == (0.8, 0.6)
    assert figures["images_per_second"][TWO_BARE] == 100.0


def test_peaks_of_memory_are_told_one_by_one_as_a_sum_and_all_at_once() -> None:
    peaks = Peaks({"verifier": 80_000_000, "probe": 70_000_000, "child": 60_000_000}, together=150_000_000)
    assert peaks_as_json(peaks) == {
        "peak_rss_mb": {"verifier": 80.0, "probe": 70.0, "child": 60.0},
        "peak_rss_sum_mb": 210.0,
        "peak_pss_mb": 150.0,
    }


def test_the_memory_of_a_running_process_is_seen() -> None:
    with watched(os.getpid(), os.getpid()) as peaks:
        pass
    assert peaks.resident["verifier"] > 10_000_000
    assert peaks.together > 0
