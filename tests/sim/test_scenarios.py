"""Tiny scenarios whose every time can be read off: a pass takes a second."""

from __future__ import annotations

import numpy as np
import pytest

import servelab as sl


def second(n, context_sum, chunks):
    return 1.0


def run(arrivals, prompts, outputs, **settings):
    settings = {"kv_blocks": 100, "block_size": 1, "max_num_batched_tokens": None} | settings
    return sl.simulate(second, sl.Traffic(arrivals, prompts, outputs), sl.Scheduler(**settings))


def times(run):
    return list(zip(run.requests["first_token_s"].tolist(), run.requests["finished_s"].tolist(), strict=True))


def test_one_request_prefills_then_decodes():
    one = run([0], [4], [3])
    assert times(one) == [(1, 3)]
    assert one.steps == 3
    assert one.requests["prefill_s"].tolist() == [1]
    assert one.requests["decode_s"].tolist() == [2]


def test_a_request_joins_at_the_start_of_a_pass():
    one = run([0, 0.5], [1, 1], [5, 1])
    assert times(one) == [(1, 5), (2, 2)]
    assert one.requests["queue_s"].tolist() == [0, 0.5]


def test_a_static_batch_lets_nobody_in_until_it_drains():
    one = run([0, 0.5, 0.5], [1, 1, 1], [2, 1, 1], policy="static", max_num_seqs=2)
    assert times(one) == [(1, 2), (3, 3), (3, 3)]
    assert one.requests["wait_slots_s"].tolist() == [0, 1, 0]
    assert one.requests["wait_order_s"].tolist() == [0, 0.5, 1.5]


def test_continuous_prefills_first_and_stalls_the_decodes():
    one = run([0, 0.5], [1, 1], [3, 2], policy="continuous")
    assert times(one) == [(1, 4), (2, 3)]
    assert one.requests["stall_s"].tolist() == [1, 0]


def test_chunked_mixes_and_cuts_a_prompt_to_the_budget():
    one = run([0, 0], [1, 5], [4, 1], max_num_batched_tokens=3)
    # 1 + 2 tokens, then beside one decode 2 and 1 more
    assert times(one) == [(1, 4), (3, 3)]
    assert one.timeline["prefill_tokens"].tolist() == [3, 2, 1, 0]


def test_the_newest_gives_way_and_recomputes():
    one = run([0, 0], [2, 2], [3, 3], kv_blocks=5)
    # both prefill; in the pass at 1 the first grows to 3 blocks, none is left for the second, which goes
    assert one.requests["preemptions"].tolist() == [0, 1]
    assert times(one) == [(1, 3), (1, 5)]
    assert one.requests["recompute_s"].tolist() == [0, 3]  # out at 1; next token at 4


def test_reserve_takes_the_limit_up_front():
    traffic = sl.Traffic([0, 0], [2, 2], [1, 1], [3, 3])
    one = sl.simulate(second, traffic, sl.Scheduler(admission="reserve", kv_blocks=9, block_size=1))
    assert times(one) == [(1, 1), (2, 2)]
    assert one.requests["wait_blocks_s"].tolist() == [0, 1]


def test_what_can_never_fit_is_rejected_and_counted():
    one = run([0, 0], [10, 1], [1, 1], kv_blocks=5)
    assert one.requests["rejected"].tolist() == [True, False]
    assert one.summary["rejections"] == 1
    assert np.isnan(one.requests["ttft_s"][0])
    assert not np.isnan(one.requests["ttft_s"][1])


def test_all_rejected_leaves_nothing_to_tell():
    one = run([0], [10], [1], kv_blocks=5)
    assert one.summary["ttft_p99_s"] is None
    assert one.summary["makespan_s"] is None
    assert one.steps == 0
    assert "null" in one.to_json()


def test_the_watermark_holds_back_but_not_from_an_empty_engine():
    one = run([0, 0], [4, 4], [1, 1], kv_blocks=10, watermark_fraction=0.5)
    assert times(one) == [(1, 1), (2, 2)]


def test_a_closed_loop_sends_on_after_an_answer():
    traffic = sl.Traffic.closed_loop(1, 3, 1, 2)
    one = sl.simulate(second, traffic, sl.Scheduler(kv_blocks=10))
    assert one.requests["arrival_s"].tolist() == [0, 2, 4]


def test_targets_count_rejected_requests_as_missed_and_one_token_as_met():
    traffic = sl.Traffic([0, 0, 0], [1, 1, 99], [1, 3, 1])
    one = sl.simulate(second, traffic, sl.Scheduler(kv_blocks=10, block_size=1), ttft_target_s=1, tpot_target_s=0.5)
    assert one.summary["slo_attainment"] == pytest.approx(1 / 3)
    assert one.summary["goodput_requests_per_s"] == pytest.approx(1 / 3)


def test_without_targets_attainment_is_null():
    assert run([0], [1], [1]).summary["slo_attainment"] is None


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "soon", None])
def test_a_step_time_that_is_no_time_is_refused(bad):
    with pytest.raises(sl.SpecError, match="step_time: it returned"):
        sl.simulate(lambda *_: bad, sl.Traffic([0], [1], [1]), sl.Scheduler(kv_blocks=10))


def test_a_function_needs_the_number_of_blocks():
    with pytest.raises(sl.SpecError, match="kv_blocks"):
        sl.simulate(second, sl.Traffic([0], [1], [1]), sl.Scheduler())


def test_progress_may_end_a_run():
    def stop(done, requests):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sl.simulate(second, sl.Traffic([0], [1], [1]), sl.Scheduler(kv_blocks=9), progress=stop)


def test_passes_that_take_no_time_end_too():
    one = sl.simulate(lambda *_: 0, sl.Traffic([0, 1], [1, 1], [3, 3]), sl.Scheduler(kv_blocks=9))
    assert one.summary["makespan_s"] == 1
    assert one.summary["itl_max_s"] == 0
