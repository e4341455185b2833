"""Call models over the OpenAI protocol: one client for all roles, with limits, retries and a ledger."""
