"""Fine-tuning of models on golden trajectories (extra `train`)."""
