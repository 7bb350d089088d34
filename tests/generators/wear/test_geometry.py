"""Pixels and polygons go through one mapping: a marker that is painted on the page is found where its polygon says."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.generators.wear.geometry import Warp, Wave, bend_and_lay

PAGE = (300, 420)
SIDE = 14  # of a marker, pixels

shares = st.floats(-0.06, 0.06)
waves = st.builds(
    Wave,
    per_x=st.floats(-1.5 / 300, 1.5 / 300),
    per_y=st.floats(-1.5 / 420, 1.5 / 420),
    phase=st.floats(0, 6.28),
    along=st.floats(-3, 3),
    down=st.floats(-4, 4),
)
warps = st.builds(
    bend_and_lay,
    page=st.just(PAGE),
    tilt=st.none() | st.lists(shares, min_size=8, max_size=8).map(lambda s: np.array(s).reshape(4, 2)),
    degrees=st.floats(-5, 5),
    scale=st.floats(0.6, 1.3),
    quarters=st.integers(0, 3),
    waves=st.lists(waves, max_size=2).map(tuple),
    margin=st.integers(0, 20),
)


@settings(max_examples=40, deadline=None)
@given(warps, st.integers(SIDE, PAGE[0] - 2 * SIDE), st.integers(SIDE, PAGE[1] - 2 * SIDE))
def test_a_marker_stands_where_its_polygon_says(warp: Warp, left: int, top: int):
    page = np.full((PAGE[1], PAGE[0]), 255, np.uint8)
    page[top : top + SIDE, left : left + SIDE] = 0
    ink = 255.0 - warp.picture(page, (255, 255, 255))
    polygon = np.array(warp.polygon((left, top, left + SIDE, top, left + SIDE, top + SIDE, left, top + SIDE))).reshape(
        -1, 2
    )
    rows, columns = np.mgrid[0 : ink.shape[0], 0 : ink.shape[1]] + 0.5
    moments = cv2.moments(polygon.astype(np.float32))
    centre = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
    assert np.hypot((ink * columns).sum() / ink.sum() - centre[0], (ink * rows).sum() / ink.sum() - centre[1]) < 0.3
    inside = cv2.fillPoly(np.zeros(ink.shape, np.uint8), [np.rint(polygon * 16 - 8).astype(np.int32)], 255, shift=4)
    around = np.ones((3, 3), np.uint8)
    assert not (ink[cv2.dilate(inside, around) == 0] > 127).any()  # no ink further than a pixel outside the polygon
    assert (ink[cv2.erode(inside, around) > 0] > 127).all()  # nor paper further than a pixel inside


@settings(max_examples=40, deadline=None)
@given(warps, st.lists(st.tuples(st.floats(0, PAGE[0]), st.floats(0, PAGE[1])), min_size=1, max_size=5))
def test_points_go_there_and_back(warp: Warp, points):
    there = warp.points(np.array(points))
    assert np.abs(warp.sources(there) - points).max() < 1e-4
    assert there.min() >= -0.02 and (there <= np.array(warp.image_size) + 0.02).all()  # all of the page is in the image


@pytest.mark.parametrize(("quarters", "rotated"), [(0, 0), (1, -1), (2, 2), (3, 1)])
def test_a_quarter_turn_keeps_every_pixel(quarters, rotated):
    page = np.random.default_rng(1).integers(0, 256, (42, 30), dtype=np.uint8)
    turned = bend_and_lay((30, 42), quarters=quarters).picture(page, (0, 0, 0))
    assert np.array_equal(turned, np.rot90(page, rotated))


def test_an_edge_of_a_bent_page_has_points_between_its_ends():
    bent = bend_and_lay(PAGE, waves=(Wave(1 / 300, 0, 0, 0, 5),))
    assert len(bent.polygon((10, 10, 290, 10, 290, 30, 10, 30))) > 8
    assert len(bend_and_lay(PAGE, degrees=2).polygon((10, 10, 290, 10, 290, 30, 10, 30))) == 8
