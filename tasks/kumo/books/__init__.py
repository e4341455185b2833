"""Knowledge books: writing them by template, reading them back, checking them rule by rule."""

from perennial.tasks.kumo.books.writing import BOOK_TEMPLATE, write_book

__all__ = ["BOOK_TEMPLATE", "write_book"]
