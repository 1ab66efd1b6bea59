"""What travels to workers: values once, and work whose result depends on its arguments alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.compute.executor import InProcess
from pipeline.compute.jobs import Workers, executor_of
from pipeline.compute.shared import Packed, UnknownValue, computed, packed, without_bytes
from schemas.errors import BadInput
from tests.compute_work import doubled, refused

pytestmark = pytest.mark.quick

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def same(*values: object, **named: object) -> tuple[object, ...]:
    """What the work was given."""
    return (*values, named)


@given(value=VALUES)
def test_a_packed_value_is_what_the_work_gets(value: object) -> None:
    """As an argument by place or by name, beside others that stand for themselves."""
    sent = packed(value)
    assert computed(same, (sent, 7), {"last": sent}) == (value, 7, {"last": value})


@given(value=VALUES)
def test_equal_bytes_are_one_value(value: object) -> None:
    """A worker that has it takes it for the same, however often it was packed."""
    first, second = packed(value), packed(value)
    assert first == second
    assert hash(first) == hash(second)
    assert first != packed([value])


def test_a_worker_unpacks_a_value_once() -> None:
    """Later work gets the very same object, which saves a megabyte's reading."""
    sent = packed(["a schema"])
    (first, _), (second, _) = computed(same, (sent,), {}), computed(same, (sent,), {})
    assert first is second


def test_a_digest_stands_for_a_value_that_a_worker_has() -> None:
    """One that lacks it says so, and takes it when it is sent whole; what isn't shared stays."""
    sent = packed(["rules of nobody"])
    digest = without_bytes(sent)
    with pytest.raises(UnknownValue, match=sent.digest):
        computed(same, (digest,), {})
    (whole, _) = computed(same, (sent,), {})
    assert computed(same, (without_bytes(7),), {"by": digest}) == (7, {"by": whole})


def test_the_bytes_of_a_value_are_not_shown() -> None:
    """An error that names its arguments stays a line."""
    assert "data" not in repr(packed("x" * 1000))
    assert Packed("ab", b"1") == Packed("ab", b"2")


def test_an_error_of_the_work_reaches_who_asked_for_it() -> None:
    """In this process it is raised with the result, not with the asking."""
    sent = InProcess().submit(refused, 7)
    with pytest.raises(BadInput, match="7: is no good number"):
        sent.result()


def test_an_interrupt_in_this_process_is_no_result() -> None:
    """Ctrl-C ends the asking itself, so that nothing further is begun."""

    def pressed() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        InProcess().submit(pressed)


def test_results_are_told_in_the_order_of_the_asking() -> None:
    """Whoever collects them needs no other key."""
    with executor_of(Workers(1), 10) as executor:
        sent = [executor.submit(doubled, executor.share([number])) for number in range(20)]
    assert [done.result()[0] for done in sent] == [[2 * number] for number in range(20)]


def test_a_shared_value_is_the_same_for_threads() -> None:
    """Workers that unpack at the same time get equal values."""
    sent = packed({"rules": ["a"]})
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda number: computed(same, (sent,), {})[0], range(40)))
    assert all(value == {"rules": ["a"]} for value in found)


@pytest.mark.parametrize("jobs", [0, -3])
def test_fewer_than_a_single_job_are_refused(jobs: int) -> None:
    """Before any worker is started, in a line that names the option."""
    told = f"--jobs {jobs}: must be at least 1"
    with pytest.raises(BadInput, match=told), executor_of(Workers(jobs), 10):
        pass
