"""Prefect itself is imported here, which takes seconds."""

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["build", "clean", "judge", "train_sft"])
def test_a_deployment_finds_the_flow_and_a_form_for_its_recipe(name):
    from prefect.flows import load_flow_from_entrypoint

    flow = load_flow_from_entrypoint(f"proofpress.flows.scheduled.{name}")
    assert "out" in flow.parameters.properties
    if name == "build":
        form = flow.parameters.model_dump()["definitions"]["PressRecipe"]["properties"]["pages"]
        assert form["description"] and form["minimum"] == 0


def test_a_flow_does_what_the_command_does(tmp_path, quick_press, recipe):
    from proofpress.flows.scheduled import build

    assert build.fn(recipe, tmp_path / "out", runner="inline") == {"train": 23, "validation": 3}
