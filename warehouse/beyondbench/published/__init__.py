"""What the paper of BeyondBench and its authors' site print: numbers, without sentences."""
