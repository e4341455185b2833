"""What the paper of KnowLogic prints: numbers, without sentences."""
