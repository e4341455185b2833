"""The script that Streamlit runs for each visit and after each input: a study, or the explorer."""

from perennial.flows.web.address import served_site

_site = served_site()
if _site.study is None:
    from perennial.flows.web.explorer import show_explorer

    show_explorer(_site.root)
else:
    # Participants get nothing else: not even the explorer's code is in the process.
    from perennial.flows.study.page import show

    show(_site.study, _site.root)
