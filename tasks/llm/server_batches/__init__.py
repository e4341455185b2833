"""The Batch API of servers: many calls in one file, answered within a day."""
