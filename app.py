"""Bender Lab: watch Benders rows accelerate message passing for MAP inference.

``streamlit run app.py`` imports this file for the server, and runs it for every view of a page.
"""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from pages._shared import beforehand
from pages._shared.app.address import keep_address
from pages._shared.app.compiling import AT_ONCE, tell_progress
from pages._shared.app.compressing import Compressing
from pages._shared.app.explaining import explain_terms
from pages._shared.app.first_picture import FirstPicture, View
from pages._shared.app.frame import entitle, frame
from pages._shared.app.health import health
from pages._shared.app.opening import arrive, opening
from pages._shared.app.routing import own_path, run_through_app, to_the_first_page
from pages._shared.app.session import has_lab
from pages._shared.game import page as game
from pages._shared.learn import page as learn
from pages._shared.running import solver


def show() -> None:
    """Show the requested page."""
    st.set_page_config(page_icon=str(Path(__file__).parent / "pages/_shared/icon.svg"), layout="wide")
    page = st.navigation(
        [
            st.Page("pages/instance.py", title="Instance", icon=":material/hub:"),
            st.Page("pages/partition.py", title="Partition", icon=":material/group_work:"),
            st.Page("pages/watch.py", title="Watch", icon=":material/play_circle:", default=True),
            st.Page("pages/cycles.py", title="Cycles", icon=":material/cycle:"),
            st.Page("pages/edge.py", title="Edge", icon=":material/timeline:"),
            st.Page("pages/compare.py", title="Compare", icon=":material/monitoring:"),
            st.Page("pages/experiments.py", title="Experiments", icon=":material/science:"),
            st.Page("pages/learn.py", title="Learn", icon=":material/school:"),
            st.Page("pages/game.py", title="Game", icon=":material/extension:"),
            st.Page("pages/method.py", title="Method", icon=":material/function:"),
        ],
        position="hidden" if st.context.is_embedded else "top",
    )
    frame()
    if has_lab() or solver.is_ready():
        arrive(page.url_path)
    entitle(page.title)
    if has_lab():
        if not opening():
            page.run()
            if not st.context.is_embedded:
                keep_address(page.url_path)
            beforehand.begin()
    elif page.url_path in AT_ONCE:
        page.run()
    else:
        st.caption("Instance, Watch, Learn, Game and Method are open already.")
        tell_progress(f"{page.title} opens")
    explain_terms()


if __name__ == "__main__":
    show()
else:
    run_through_app()
    solver.begin()
    # The app may be served below another path.
    named = [Route(path, to_the_first_page) for path in ("/watch", "/{below:path}/watch")]
    # At its own path alone: below any other, it would answer for Streamlit's /_stcore/health.
    named.append(Route(own_path("health"), health))
    views = {
        "learn": View("Learn", learn.COMPONENT, learn.at_first),
        "game": View("Game", game.COMPONENT, game.at_first),
    }
    drawn = Middleware(FirstPicture, views=views)
    app = st.App(__file__, routes=named, middleware=[Middleware(Compressing), drawn])
