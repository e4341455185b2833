"""`perennial web`: pages over a data root, which they read and never write."""
