"""Have models write rules (stage 1 of the paper): designer, judge, architect, and tests by execution."""
