"""Training on chats: which tokens count, and how a checkpoint is named."""
