"""What a mark says of its look is what is seen: a style does not overrule it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.component.mounting import Stage
from tests.labs import lab
from tests.tiers import thinned
from tests.watched import Watched

pytestmark = pytest.mark.browser

# Every attribute of a look that a style of the page overrules: the element's class, the attribute, and what is seen.
OVERRULED = """(stage) => {
    const names = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity"];
    const found = new Set();
    for (const element of stage.querySelectorAll("svg *")) {
        // A hollow dot is a 0.
        const own = names.filter((each) => element.hasAttribute(each) && !element.matches(".variable.is-0"));
        for (const name of own) {
            const seen = getComputedStyle(element)[name];
            // What the attribute alone would look like.
            const alone = element.cloneNode();
            alone.removeAttribute("class");
            alone.removeAttribute("data-mark");
            const bare = document.createElementNS(element.namespaceURI, "svg");
            bare.append(alone);
            stage.parentNode.append(bare);
            const said = getComputedStyle(alone)[name];
            bare.remove();
            if (seen !== said) found.add(`${element.getAttribute("class")} ${name}: ${said} is seen as ${seen}`);
        }
    }
    return [...found];
}"""


@pytest.mark.parametrize(
    ("name", "max_size", "variant"), thinned([("tiny", 2, 12), ("pose-small", 8, 9), ("pose", 2, 4)], 3, several=True)
)
def test_no_style_overrules_what_a_mark_says(
    watched: Callable[[Watched], Stage], name: str, max_size: int, variant: int
) -> None:
    stage = watched(lab(name, max_size, variant))
    found = set()
    for step in ("event", "event", "event", "round", "node", "sweep"):
        stage.step(step)
        found |= set(stage.root.evaluate(OVERRULED))
    stage.click("button[data-view=both]")
    found |= set(stage.root.evaluate(OVERRULED))
    assert found == set()
