"""What runs inside the worker process. These modules import nothing of perennial but each other."""
