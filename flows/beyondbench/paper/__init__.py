"""The paper of BeyondBench beside the leaderboard of its authors' site."""
