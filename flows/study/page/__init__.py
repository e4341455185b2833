"""The page of a study: what a participant sees in a browser, and nothing else.

A visit is known by its websocket alone: the code is kept in the server's memory for as long as the page is
open, and nowhere in the browser. After a reload it is typed again and leads to the same task.
"""

from perennial.flows.study.page.visit import show

__all__ = ["show"]
