"""Where results live: staging, audit, publishing and reading of editions."""
