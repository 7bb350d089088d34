import pytest

from proofpress.generators.address import Address


def draws(address, purpose):
    rng = address.stream(purpose)
    return [rng.random() for _ in range(3)]


def test_the_same_address_and_purpose_draw_the_same():
    assert draws(Address(7, "press", 42), "layout") == draws(Address(7, "press", 42), "layout")


@pytest.mark.parametrize(
    ("address", "purpose"),
    [
        (Address(8, "press", 42), "layout"),
        (Address(7, "wear", 42), "layout"),
        (Address(7, "press", 43), "layout"),
        (Address(7, "press", 42), "style"),
    ],
    ids=["seed", "stage", "index", "purpose"],
)
def test_each_part_of_an_address_changes_what_is_drawn(address, purpose):
    assert draws(address, purpose) != draws(Address(7, "press", 42), "layout")


def test_an_address_is_read_back_from_its_text():
    address = Address(-7, "press/part", 42)
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize("text", ["", "press/7", "press/7/x"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(ValueError):
        Address.parse(text)
